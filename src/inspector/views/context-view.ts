import type { ModelContext } from '../../client/context/context-types.ts'
import type { Message } from '../../contract/message.ts'
import { estimateContextTokens } from '../../domain/context/estimate-context-tokens.ts'
import { createDelay } from '../create-delay.ts'
import { counted, countOf, lineOf } from '../describe-values.ts'
import { textOfMessage } from '../entry-text.ts'
import type { Inspection, InspectorView } from '../inspection.ts'
import { jsonText } from '../json-text.ts'
import { button, figures, fill, h, userText } from '../make-element.ts'
import { createVirtualGrid } from '../virtual-grid.ts'

/** The tokens of a budget at first. With a budget, no more of a long log is read than fits. */
const firstBudget = 32_000

/** What a model would get, and how it fills a budget of tokens. */
export function createContextView(inspection: Inspection): InspectorView {
  const { client, signal } = inspection
  let isShown = false
  let reading: AbortController | undefined
  const name = h('strong', { class: 'name' })
  const budget = createBudget(read)
  const bar = h('div', { class: 'tokens', role: 'img' })
  const about = h('div')
  const detail = h('aside', { class: 'detail', hidden: true, 'aria-label': 'One message' })
  const grid = createVirtualGrid<Message>({
    label: 'Messages of the context',
    signal,
    empty: 'A model would get nothing.',
    columns: [
      { name: 'Role', width: '6.5rem', cell: ({ role }) => role },
      { name: 'Tokens', width: '5rem', isNumber: true, cell: (message) => countOf(estimateContextTokens(message)) },
      { name: 'Content', width: 'minmax(8rem, 1fr)', isText: true, cell: (message) => lineOf(textOfMessage(message)) },
    ],
    onOpen: (message, index) => {
      grid.mark(index)
      detail.hidden = false
      detail.replaceChildren(
        button('Close', closeDetail, { 'aria-label': 'Close the message' }),
        jsonText(message, 'message'),
      )
    },
  })
  const reread = createDelay(500, signal, read)

  function closeDetail(): void {
    detail.hidden = true
    grid.focus()
  }

  function read(): void {
    reading?.abort()
    const own = (reading = new AbortController())
    const selection = inspection.selection()
    if (selection === undefined) return void name.replaceChildren('Choose a session first.')
    const { key, branch } = selection
    name.replaceChildren(userText(key))
    const maxTokens = Math.max(0, Number(budget.value) || 0)
    inspection.attempt(async () => {
      const session = await client.session(key)
      try {
        const context = await session.context({
          maxTokens,
          signal: own.signal,
          ...(branch === undefined ? {} : { branch }),
        })
        if (reading === own) display(context, maxTokens)
      } catch (error) {
        // It was replaced by another one, or is out of sight.
        if (!own.signal.aborted) throw error
      } finally {
        await session.close()
      }
    })
  }

  function display(context: ModelContext, maxTokens: number): void {
    const { tokens, messages } = context
    showBar(bar, tokens, maxTokens)
    about.replaceChildren(figuresOf(context, maxTokens))
    grid.mark(undefined)
    detail.hidden = true
    grid.show({ count: messages.length, at: (index) => messages[index] })
  }

  inspection.onSelect(() => isShown && read())
  inspection.follow((change) => {
    if (isShown && change.type === 'session' && change.key === inspection.selection()?.key) reread.start()
  })
  signal.addEventListener('abort', () => reading?.abort())

  return {
    element: h(
      'div',
      { class: 'view' },
      h('div', { class: 'bar' }, name, h('label', {}, 'Budget', budget), button('Read again', read)),
      bar,
      about,
      h('div', { class: 'split' }, grid.element, detail),
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
