import type { TreeRow } from './lay-out-tree.ts'
import type { TreeNode } from './read-session-tree.ts'

/** In the picture's own units: a row is as high as its text, 36 of them. */
const rowHeight = 36
const widest = 132
const margin = 12

/** How far lanes are apart: closer, the more there are. */
const lanePitch = (lanes: number): number => Math.min(18, (widest - 2 * margin) / Math.max(1, lanes - 1))

/** Draws the part of the tree that belongs to one row. What it shows is said in the row's words as well. */
export function lanePicture({ node, folded, lane, from, down, passing }: TreeRow, lanes: number): SVGSVGElement {
  const pitch = lanePitch(lanes)
  const x = (of: number): number => margin + of * pitch
  const width = 2 * margin + (lanes - 1) * pitch
  const svg = shape('svg', {
    class: 'tree-lanes',
    viewBox: `0 0 ${width} ${rowHeight}`,
    'aria-hidden': 'true',
    width: `${width / 16}rem`,
    height: `${rowHeight / 16}rem`,
  })
  const middle = rowHeight / 2
  const line = (d: string, isCurrent: boolean, isFolded = false): void =>
    svg.append(
      shape('path', { d, class: 'tree-line', 'data-current': String(isCurrent), 'data-folded': String(isFolded) }),
    )

  for (const one of passing) line(`M${x(one.lane)} 0V${rowHeight}`, one.isCurrent)
  if (folded > 0) line(`M${x(lane)} 2V${rowHeight}`, node.isCurrent, true)
  else {
    if (from === 'above') line(`M${x(lane)} 0V${middle}`, node.isCurrent)
    if (from === 'aside')
      line(`M${x(lane - 1)} 0C${x(lane - 1)} ${middle} ${x(lane - 1)} ${middle} ${x(lane)} ${middle}`, node.isCurrent)
    if (down !== 'none') line(`M${x(lane)} ${middle}V${rowHeight}`, down === 'current')
  }
  // The line that is shown lies above those it crosses.
  svg.append(...svg.querySelectorAll('[data-current=true]'))
  if (folded === 0) svg.append(mark(x(lane), middle, node))
  return svg
}

/** A message is a full dot, an end without one a ring. */
const mark = (cx: number, cy: number, { isCurrent, message }: TreeNode): SVGElement =>
  shape('circle', {
    cx,
    cy,
    r: isCurrent ? 5 : 4,
    class: 'tree-dot',
    'data-current': String(isCurrent),
    'data-ring': String(message === undefined),
  })

function shape<K extends keyof SVGElementTagNameMap>(
  tag: K,
  attributes: Readonly<Record<string, string | number>>,
): SVGElementTagNameMap[K] {
  const element = document.createElementNS('http://www.w3.org/2000/svg', tag)
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, String(value))
  return element
}
