import type { ModelContext } from '../../client/context/context-types.ts'
import type { Message } from '../../contract/message.ts'
import { estimateContextTokens } from '../../domain/context/estimate-context-tokens.ts'
import { createDelay } from '../create-delay.ts'
import { counted, countOf, errorText, lineOf } from '../describe-values.ts'
import { textOfMessage } from '../entry-text.ts'
import type { GridColumn } from '../grid-parts.ts'
import type { Inspection, InspectorView, Selection } from '../inspection.ts'
import type { InspectedClient } from '../inspector-options.ts'
import { jsonText } from '../json-text.ts'
import { button, figures, fill, h, userText } from '../make-element.ts'
import { createVirtualGrid } from '../virtual-grid.ts'

/** The tokens of a budget at first. With a budget, no more of a long log is read than fits. */
const firstBudget = 32_000

const columns: readonly GridColumn<Message>[] = [
  { name: 'Role', width: '6.5rem', cell: ({ role }) => role },
  { name: 'Tokens', width: '5rem', isNumber: true, cell: (message) => countOf(estimateContextTokens(message)) },
  { name: 'Content', width: 'minmax(8rem, 1fr)', isText: true, cell: (message) => lineOf(textOfMessage(message)) },
]

/** What a model would get, and how it fills a budget of tokens. */
export function createContextView(inspection: Inspection): InspectorView {
  const { client, signal } = inspection
  let isShown = false
  let reading: AbortController | undefined
  /** What the content is of. */
  let shown: Selection | undefined
  const name = h('strong', { class: 'name' })
  const budget = createBudget(read)
  const bar = h('div', { class: 'tokens', role: 'img', hidden: true })
  const about = h('div')
  const detail = h('aside', { class: 'detail', hidden: true, 'aria-label': 'One message' })
  const grid = createVirtualGrid<Message>({
    label: 'Messages of the context',
    signal,
    empty: 'A model would get nothing.',
    columns,
    onOpen: (message, index) => {
      grid.mark(index)
      showMessage(detail, message, closeDetail)
    },
  })
  const content = h('div', { class: 'split', hidden: true }, grid.element, detail)
  const reread = createDelay(500, signal, read)

  function closeDetail(): void {
    detail.hidden = true
    grid.focus()
  }

  function read(): void {
    reading?.abort()
    const own = (reading = new AbortController())
    const selection = inspection.selection()
    // Nothing of one line stands under the name of another.
    if (selection?.key !== shown?.key || selection?.branch !== shown?.branch) clear()
    shown = selection
    if (selection === undefined) return void name.replaceChildren('Choose a session first.')
    name.replaceChildren(userText(selection.key))
    const maxTokens = Math.max(0, Number(budget.value) || 0)
    inspection.attempt(async () => {
      try {
        const context = await contextOf(client, selection, { maxTokens, signal: own.signal })
        if (reading === own) display(context, maxTokens)
      } catch (error) {
        // It was replaced by another one, or is out of sight.
        if (own.signal.aborted) return
        clear()
        about.replaceChildren(h('p', { class: 'empty', dir: 'auto' }, errorText(error)))
        throw error
      }
    })
  }

  function clear(): void {
    content.hidden = bar.hidden = detail.hidden = true
    about.replaceChildren()
    grid.mark(undefined)
    grid.show({ count: 0, at: () => undefined })
  }

  function display(context: ModelContext, maxTokens: number): void {
    const { tokens, messages } = context
    content.hidden = bar.hidden = false
    showBar(bar, tokens, maxTokens)
    about.replaceChildren(figuresOf(context, maxTokens))
    grid.mark(undefined)
    detail.hidden = true
    grid.show({ count: messages.length, at: (index) => messages[index] })
  }

  inspection.onSelect(() => isShown && read())
  inspection.follow((change) => {
    if (isShown && inspection.isOfSelection(change)) reread.start()
  })
  signal.addEventListener('abort', () => reading?.abort())

  return {
    element: h(
      'div',
      { class: 'view' },
      h('div', { class: 'bar' }, name, h('label', {}, 'Budget', budget), button('Read again', read)),
      bar,
      about,
      content,
    ),
    show() {
      isShown = true
      read()
    },
    hide() {
      isShown = false
      reading?.abort()
      reread.stop()
    },
  }
}

function showMessage(detail: HTMLElement, message: Message, onClose: () => void): void {
  detail.hidden = false
  detail.replaceChildren(button('Close', onClose, { 'aria-label': 'Close the message' }), jsonText(message, 'message'))
}

async function contextOf(
  client: InspectedClient,
  { key, branch }: Selection,
  options: { readonly maxTokens: number; readonly signal: AbortSignal },
): Promise<ModelContext> {
  const session = await client.session(key)
  try {
    return await session.context({ ...options, ...(branch === undefined ? {} : { branch }) })
  } finally {
    await session.close()
  }
}

function showBar(bar: HTMLElement, tokens: ModelContext['tokens'], maxTokens: number): void {
  const shares = [
    ['summary', tokens.summary],
    ['memo', tokens.memo],
    ['tools', tokens.tools],
    ['messages', tokens.messages],
    ['free', Math.max(0, maxTokens - tokens.total)],
  ] as const
  const shown = shares.filter(([, count]) => count > 0)
  bar.setAttribute(
    'aria-label',
    shown.map(([kind, count]) => `${kind}: ${counted(count, 'token')}`).join(', ') || 'empty',
  )
  fill(
    bar,
    shown.map(([kind, count]) => {
      const part = h('span', { class: 'share', 'data-kind': kind }, h('span', {}, `${kind} ${countOf(count)}`))
      part.style.setProperty('--share', String(count))
      return part
    }),
  )
}

const figuresOf = (context: ModelContext, maxTokens: number): HTMLElement =>
  figures([
    ['Tokens', `${countOf(context.tokens.total)} of ${countOf(maxTokens)}`],
    ['Messages', countOf(context.messages.length)],
    ['Turns', countOf(context.turns)],
    ['Left out', counted(context.leftOut, 'message')],
    ['Fits', context.fits ? 'yes' : 'no'],
    ['Compaction', context.compaction ?? 'none'],
  ])

const createBudget = (onchange: () => void): HTMLInputElement =>
  h('input', {
    type: 'number',
    min: 0,
    max: 10_000_000,
    step: 1_000,
    value: firstBudget,
    'aria-label': 'Budget in tokens',
    onchange,
  })
