/** A page of the site, as Markdown. */
export interface SitePage {
  /** Where the page is, without an ending, such as `guides/streaming`. */
  readonly address: string
  /** File of the repository that links in the page start from; a made page has one that is not there. */
  readonly source: string
  readonly markdown: string
}

/** A group of pages in the navigation. */
export interface SiteSection {
  readonly title: string
  readonly pages: readonly SitePage[]
}

/** The text of the first heading. @throws when there is none */
export function titleOf({ source, markdown }: SitePage): string {
  const title = /^# (.+)$/m.exec(markdown)?.[1]
  if (title === undefined) throw new Error(`${source} has no heading.`)
  return title.replaceAll('`', '')
}

/** The first paragraph below the heading, as plain text on one line. */
export function summaryOf({ markdown }: SitePage): string {
  const paragraph = markdown
    .slice(markdown.search(/^# /m))
    .replace(/^```[\s\S]*?^```$/gm, '')
    .split(/\n\s*\n/)
    .slice(1)
    .find((text) => /^[\p{L}\p{N}`*[_]/u.test(text.trim()) && !text.startsWith('**'))
  const plain = (paragraph ?? '')
    .replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replace(/[`*_]/g, '')
    .replace(/\s+/g, ' ')
    .trim()
  return plain.length <= 200 ? plain : `${plain.slice(0, plain.lastIndexOf(' ', 197))} …`
}
