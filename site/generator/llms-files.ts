import { type SitePage, type SiteSection, summaryOf, titleOf } from './site-page.ts'

/** `llms.txt` (llmstxt.org): what there is to read, and where. Links are relative, as the site may be anywhere. */
export function llmsIndex(sections: readonly SiteSection[]): string {
  const parts = sections.map(({ title, pages }) => {
    const links = pages.map((page) => {
      const summary = summaryOf(page)
      return `- [${titleOf(page)}](${page.address}.md)${summary === '' ? '' : `: ${summary}`}`
    })
    return `## ${title}\n\n${links.join('\n')}`
  })
  return `# keepsession

> keepsession stores the conversations of AI chat apps in the browser: an append-only log in IndexedDB that a Web Worker
> manages, with streaming that survives a reload, branches, summaries, search, several tabs, and optional sync. The whole
> text is in [llms-full.txt](llms-full.txt).

${parts.join('\n\n')}
`
}

/** `llms-full.txt`: all pages, one after the other. */
export const llmsFull = (pages: readonly SitePage[], markdownOf: (page: SitePage) => string): string =>
  pages.map((page) => `<!-- ${page.address}.md -->\n\n${markdownOf(page).trim()}\n`).join('\n\n')
