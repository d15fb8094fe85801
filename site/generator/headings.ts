/** The anchor of a heading, as GitHub makes it, so that a link works in the repository and on the site. */
export const slugOf = (heading: string): string =>
  heading
    .replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, '')
    .trim()
    .replaceAll(' ', '-')

/** Gives the headings of one page their anchors: the second of the same name gets `-1`. */
export function createAnchors(): (heading: string) => string {
  const seen = new Map<string, number>()
  return (heading) => {
    const slug = slugOf(heading)
    const count = seen.get(slug) ?? 0
    seen.set(slug, count + 1)
    return count === 0 ? slug : `${slug}-${count}`
  }
}
