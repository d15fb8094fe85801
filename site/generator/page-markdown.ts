import { posix } from 'node:path'
import { pictureAddress, rewriteLink } from './rewrite-links.ts'
import type { SitePage } from './site-page.ts'

/** The Markdown of a page as it is published: without marks for the tests, and with links to Markdown. */
export function pageMarkdown(page: SitePage, addresses: ReadonlyMap<string, string>): string {
  let isCode = false
  const lines = page.markdown.replace(/^<!-- .+ -->\n+/gm, '').split('\n')
  return lines
    .map((line) => {
      if (/^\s*```/.test(line)) isCode = !isCode
      if (isCode) return line
      return line.replace(
        /(`[^`]*`)|(!\[[^\]]*)?\]\(([^)\s]+)\)/g,
        (all, code: string | undefined, picture: string | undefined, href: string) => {
          if (code !== undefined) return all
          if (picture === undefined) return `](${rewriteLink(href, page, addresses, '.md')})`
          return `${picture}](${posix.relative(posix.dirname(page.address), pictureAddress(href))})`
        },
      )
    })
    .join('\n')
}
