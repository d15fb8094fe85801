import { readFileSync } from 'node:fs'
import { copyFile, mkdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { type ContentsEntry, contents } from '../contents.ts'
import { includeParts } from './include-parts.ts'
import { limitsPage } from './limits-page.ts'
import { llmsFull, llmsIndex } from './llms-files.ts'
import { pageMarkdown } from './page-markdown.ts'
import { pageShell } from './page-shell.ts'
import { referencePages } from './reference-pages.ts'
import { renderMarkdown } from './render-markdown.ts'
import { searchIndex } from './search-index.ts'
import { outFolder, projectFolder } from './site-folders.ts'
import type { SitePage, SiteSection } from './site-page.ts'
import { sizesPage } from './sizes-page.ts'

/** Makes every page, as HTML and as Markdown, the search index and the files for language models. */
export async function buildPages(folder = outFolder): Promise<{ readonly pages: readonly SitePage[] }> {
  const sections = readSections()
  const pages = sections.flatMap((section) => section.pages)
  const addresses = new Map(pages.map(({ source, address }) => [source, address]))
  const write = async (file: string, content: string): Promise<void> => {
    const path = join(folder, file)
    await mkdir(dirname(path), { recursive: true })
    await writeFile(path, content)
  }
  for (const page of pages) {
    const rendered = renderMarkdown(page, addresses)
    await write(`${page.address}.html`, pageShell(page, rendered, sections))
    for (const [address, file] of rendered.pictures) {
      await mkdir(dirname(join(folder, address)), { recursive: true })
      await copyFile(join(projectFolder, file), join(folder, address))
    }
    await write(`${page.address}.md`, pageMarkdown(page, addresses))
  }
  await write('search.json', searchIndex(pages))
  await write('llms.txt', llmsIndex(sections))
  await write(
    'llms-full.txt',
    llmsFull(pages, (page) => pageMarkdown(page, addresses)),
  )
  await write('assets/site.css', readFileSync(join(projectFolder, 'site/theme/site.css'), 'utf8'))
  await write('icon.svg', readFileSync(join(projectFolder, 'site/theme/icon.svg'), 'utf8'))
  return { pages }
}

function readSections(): SiteSection[] {
  return contents.map(({ title, pages, made }) => ({
    title,
    pages: [
      ...pages.map(readPage),
      ...(made === 'sizes and limits' ? [sizesPage(), limitsPage()] : made === 'reference' ? referencePages() : []),
    ],
  }))
}

const readPage = ({ source, address }: ContentsEntry): SitePage => ({
  source,
  address,
  markdown: includeParts(readFileSync(join(projectFolder, source), 'utf8')),
})
