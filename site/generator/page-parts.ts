import { createAnchors } from './headings.ts'

/** What is below one heading of a page. */
export interface PagePart {
  readonly heading: string
  /** `''` is the start of the page. */
  readonly anchor: string
  readonly text: string
}

/** Takes a page apart at its headings. What stands in code is no heading. */
export function partsOf(markdown: string): PagePart[] {
  const anchorOf = createAnchors()
  const parts: { heading: string; anchor: string; lines: string[] }[] = []
  let isCode = false
  for (const line of markdown.split('\n')) {
    if (/^\s*```/.test(line)) isCode = !isCode
    const heading = isCode ? null : /^(#{1,6}) (.+)$/.exec(line)
    if (heading !== null) {
      const anchor = anchorOf(heading[2]!)
      parts.push({ heading: heading[2]!.replace(/[`*]/g, ''), anchor: heading[1] === '#' ? '' : anchor, lines: [] })
    } else parts.at(-1)?.lines.push(line)
  }
  return parts.map(({ heading, anchor, lines }) => ({ heading, anchor, text: lines.join('\n') }))
}
