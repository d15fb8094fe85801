import { posix } from 'node:path'

/** Where files that are no pages of the site can be read. */
const repository = 'https://github.com/keepsession/keepsession/blob/main'

/** How a document links to a page that no file of the repository is: `site:reference/limits`. */
const madePage = 'site:'

/** Where a picture of a document is on the site. */
export const pictureAddress = (href: string): string => `pictures/${posix.basename(href)}`

/**
 * What a link leads to from a page: the page that a file of the repository became, relative to this one so that the
 * site works at any address; or the file in the repository.
 *
 * @param href - as it stands in the document
 * @param page - where it stands
 * @param addresses - of all pages, by the file that they are made of
 * @param ending - `.html`, or `.md` for the Markdown beside the page
 */
export function rewriteLink(
  href: string,
  page: { readonly address: string; readonly source: string },
  addresses: ReadonlyMap<string, string>,
  ending: '.html' | '.md',
): string {
  const toPage = href.startsWith(madePage)
  if ((/^[a-z]+:/.test(href) && !toPage) || href.startsWith('#')) return href
  const [path, anchor] = (toPage ? href.slice(madePage.length) : href).split('#') as [string, string?]
  const file = posix.join(posix.dirname(page.source), path)
  const address = toPage ? path : addresses.get(file)
  const mark = anchor === undefined ? '' : `#${anchor}`
  if (address === undefined) return `${repository}/${file}${mark}`
  return `${posix.relative(posix.dirname(page.address), address)}${ending}${mark}`
}
