import type { ModelContext, Session, SessionClient } from '../../src/index.ts'
import { folded } from '../chat/part-view.ts'
import { h } from '../ui/dom.ts'
import { counted } from '../ui/format.ts'
import { iconButton } from '../ui/icon-button.ts'
import { lookAgain } from '../ui/look-again.ts'
import type { Toasts } from '../ui/toasts.ts'
import { createContextBar, sharesOf, type WindowShare } from './context-bar.ts'
import { createContextForm } from './context-form.ts'
import { readContextSettings } from './context-settings.ts'
import { createMemoView } from './memo-view.ts'
import type { Shrinking } from './shrinking.ts'

export interface ContextPanelOptions {
  readonly client: SessionClient
  readonly shrinking: Shrinking
  readonly toasts: Toasts
  /** Called with the context of the open conversation, whenever it has changed. */
  readonly onContext: (context: ModelContext | undefined, window: number) => void
}

export interface ContextPanel {
  readonly element: HTMLDialogElement
  /** Follows another conversation from now on. */
  follow(session: Session): void
  open(): void
}

/** What the model gets of the open conversation, how full its window is, and what is done about it. */
export function createContextPanel({ client, shrinking, toasts, onContext }: ContextPanelOptions): ContextPanel {
  const bar = createContextBar()
  const legend = h('ul', { class: 'context-legend' })
  const figures = h('p', { class: 'context-figures', 'data-testid': 'context-figures' })
  const summary = h('div', { class: 'context-summary' })
  const memo = createMemoView()
  const form = createContextForm(() => void refresh())
  const outcome = h('p', { class: 'context-outcome', role: 'status', 'data-testid': 'context-outcome' })
  const button = h(
    'button',
    {
      type: 'button',
      class: 'button primary',
      'data-testid': 'compact-now',
      onclick: () => void (ending === undefined ? compactNow() : ending.abort()),
    },
    compactLabel,
  )
  const element = h(
    'dialog',
    {
      class: 'dialog panel context-panel',
      'aria-labelledby': 'context-title',
      'data-testid': 'context-panel',
      onclose: () => ending?.abort(),
    },
    h(
      'header',
      {},
      h('h2', { id: 'context-title' }, 'Model context'),
      iconButton('close', 'Close', { onclick: () => element.close() }),
    ),
    h(
      'div',
      { class: 'context-body' },
      h('section', { 'aria-label': 'Context window' }, bar.element, legend, figures, summary),
      form.element,
      memo.element,
    ),
    h('footer', {}, outcome, button),
  )
  let session: Session | undefined
  let shownSummary: string | undefined
  let ending: AbortController | undefined
  let looks = 0

  /** Only the newest look counts. */
  async function refresh(): Promise<void> {
    callOff()
    const followed = session
    const look = ++looks
    if (followed === undefined) return
    try {
      const context = await shrinking.context(followed)
      if (look === looks) show(context)
    } catch (error) {
      if (look === looks) toasts.fail('The model context could not be read', error)
    }
  }

  function show(context: ModelContext): void {
    const { window } = readContextSettings()
    const shares = sharesOf(context, window)
    bar.show(shares, window)
    legend.replaceChildren(...shares.map(legendItem))
    figures.textContent = figuresText(context, window)
    if (context.summary !== shownSummary) {
      shownSummary = context.summary
      summary.replaceChildren(
        ...(context.summary === ''
          ? []
          : [folded({ sign: 'fold', name: 'Summary', text: context.summary, isProse: true })]),
      )
    }
    memo.show(context.memo)
    onContext(context, window)
  }

  async function compactNow(): Promise<void> {
    if (session === undefined) return
    ending = new AbortController()
    button.textContent = 'Stop'
    outcome.textContent = 'Working…'
    try {
      outcome.textContent = await shrinking.now(session, ending.signal, (words) => (outcome.textContent = words))
    } catch (error) {
      outcome.textContent = ending.signal.aborted ? 'Stopped. Nothing was changed.' : ''
      if (!ending.signal.aborted) toasts.fail('The conversation could not be compacted', error)
    } finally {
      ending = undefined
      button.textContent = compactLabel
    }
    await refresh()
  }

  const callOff = lookAgain(client, (key) => key === session?.key, refresh)

  return {
    element,
    follow(next) {
      session = next
      outcome.textContent = ''
      onContext(undefined, readContextSettings().window)
      void refresh()
    },
    open() {
      form.show()
      element.showModal()
      void refresh()
    },
  }
}

const compactLabel = 'Compact now'

const legendItem = ({ kind, name, tokens }: WindowShare): HTMLElement =>
  h(
    'li',
    {},
    h('span', { class: 'context-key', 'data-kind': kind }),
    h('span', {}, name),
    h('span', { class: 'context-tokens' }, counted(tokens, 'token')),
  )

function figuresText({ tokens, leftOut, fits }: ModelContext, window: number): string {
  const used = `${counted(tokens.total, 'token')} of ${counted(window, 'token')}`
  if (!fits) return `${used}: the summary and the memo alone exceed the window.`
  return leftOut === 0 ? used : `${used}. ${counted(leftOut, 'older message')} left out to fit the window.`
}
