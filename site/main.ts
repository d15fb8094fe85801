import { watch } from 'node:fs'
import { join } from 'node:path'
import { preview } from 'vite'
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
  for (const folder of ['docs', 'site/guides', 'site/concepts', 'site/moving', 'site/pictures', 'site/theme'])
    watch(join(projectFolder, folder), again)
}
