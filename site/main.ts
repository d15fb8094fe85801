import { watch } from 'node:fs'
import { dirname, join } from 'node:path'
import { preview } from 'vite'
import { contents } from './contents.ts'
import { buildLive } from './generator/build-live.ts'
import { buildPages } from './generator/build-pages.ts'
import { outFolder, projectFolder } from './generator/site-folders.ts'

/** Builds the site into `site/dist`; with `--serve`, shows it and makes the pages again when a document changes. */
export async function main(args: readonly string[]): Promise<void> {
  await buildLive()
  const { pages } = await buildPages()
  console.log(`${pages.length} pages in site/dist.`)
  if (!args.includes('--serve')) return
  const server = await preview({ configFile: false, root: projectFolder, build: { outDir: outFolder } })
  server.printUrls()
  let pending: NodeJS.Timeout | undefined
  const again = (): void => {
    clearTimeout(pending)
    pending = setTimeout(() => void buildPages().catch(console.error), 200)
  }
  // Folders: an editor that replaces a file leaves a watcher of the old one.
  const sources = contents.flatMap(({ pages }) => pages.map(({ source }) => dirname(source)))
  for (const folder of new Set([...sources, 'site/pictures', 'site/theme']))
    watch(join(projectFolder, folder), (_, file) => {
      if (file === null || /\.(?:css|md|png|svg)$/.test(file)) again()
    })
}
