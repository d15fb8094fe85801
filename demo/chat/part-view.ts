import type { BlobReader } from '../attachments/attached-file.ts'
import { attachmentView } from '../attachments/attachment-view.ts'
import { h } from '../ui/dom.ts'
import { counted, shortened } from '../ui/format.ts'
import { type IconName, icon } from '../ui/icons.ts'
import { renderMarkdown } from '../ui/markdown.ts'
import { frameCode } from './code-block.ts'
import { type Part, printed } from './message-parts.ts'

/** Characters of a long tool result that are put on the page at once. */
const shownChars = 20_000

/**
 * Shows one part of a message. Text is Markdown unless `plain`.
 *
 * @param blobs - where the files are that it names
 */
export function partView(part: Part, plain: boolean, blobs: BlobReader): HTMLElement {
  switch (part.kind) {
    case 'text':
      return plain ? h('div', { class: 'plain-text', dir: 'auto' }, part.text) : markdownView(part.text)
    case 'reasoning':
      return folded({
        sign: 'thought',
        name: 'Reasoning',
        hint: shortened(firstLine(part.text), 90),
        text: part.text,
        isProse: true,
      })
    case 'tool-call':
      return folded({
        sign: 'tool',
        name: part.name || 'tool',
        hint: shortened(oneLine(part.input), 90),
        text: printed(part.input),
      })
    case 'tool-result': {
      const text = part.parts.map(partText).join('\n')
      return folded({
        sign: part.failed ? 'alert' : 'check',
        name: part.name,
        hint: part.failed ? 'failed' : sizeOf(text),
        text,
        isFailed: part.failed,
      })
    }
    case 'attachment':
      return part.file === undefined ? h('p', { class: 'attachment' }, part.label) : attachmentView(part.file, blobs)
    case 'unknown':
      return folded({ sign: 'fold', name: part.name, text: printed(part.value) })
  }
}

export interface Fold {
  readonly sign: IconName
  readonly name: string
  /** What is said of the text while it is closed. */
  readonly hint?: string
  readonly text: string
  /** Words, not code. */
  readonly isProse?: boolean
  readonly isFailed?: boolean
}

/**
 * A line that opens to a text. The text is put on the page when it is opened for the first time: results can be huge,
 * and mostly stay closed.
 */
export function folded({ sign, name, hint = '', text, isProse = false, isFailed = false }: Fold): HTMLElement {
  const summary = h(
    'summary',
    {},
    icon(sign),
    h('span', { class: 'fold-name' }, name),
    h('span', { class: 'fold-hint' }, hint),
  )
  const details = h('details', { class: 'fold', 'data-failed': isFailed, 'data-prose': isProse }, summary)
  details.addEventListener('toggle', () => details.append(longText(text, isProse)), { once: true })
  return details
}

function longText(text: string, isProse: boolean): HTMLElement {
  const shown = h(
    'pre',
    { class: 'fold-text', dir: isProse ? 'auto' : 'ltr', tabindex: 0 },
    text.slice(0, shownChars) || '(empty)',
  )
  if (text.length <= shownChars) return h('div', { class: 'fold-body' }, shown)
  const rest = h(
    'button',
    { type: 'button', class: 'text-button', onclick: () => showAll() },
    `Show all ${counted(text.length, 'character')}`,
  )
  function showAll(): void {
    shown.textContent = text
    rest.remove()
  }
  return h('div', { class: 'fold-body' }, shown, rest)
}

function markdownView(text: string): HTMLElement {
  const view = h('div', { class: 'markdown' })
  view.append(renderMarkdown(text))
  // Each block has its own direction: a message may quote Arabic or Hebrew, and code reads from left to right.
  for (const block of view.children) block.setAttribute('dir', block.tagName === 'PRE' ? 'ltr' : 'auto')
  for (const block of view.querySelectorAll('pre')) frameCode(block)
  for (const table of view.querySelectorAll('table')) {
    const frame = h('div', { class: 'table-scroll', tabindex: 0 })
    table.replaceWith(frame)
    frame.append(table)
  }
  return view
}

function partText(part: Part): string {
  if (part.kind === 'text' || part.kind === 'reasoning') return part.text
  if (part.kind === 'attachment') return `[${part.label}]`
  return printed(part)
}

function sizeOf(text: string): string {
  const lines = text.split('\n').length
  return lines > 1 ? counted(lines, 'line') : shortened(text, 90)
}

const firstLine = (text: string): string => text.trim().split('\n', 1)[0] ?? ''

/** A call's arguments on one line: the first text among them mostly says it all. */
function oneLine(input: unknown): string {
  const value = typeof input === 'string' ? parsed(input) : input
  if (typeof value !== 'object' || value === null) return firstLine(String(value ?? ''))
  const values: readonly unknown[] = Object.values(value)
  const text = values.find((one) => typeof one === 'string')
  return text === undefined ? (values.length === 0 ? '' : JSON.stringify(value)) : firstLine(String(text))
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}
