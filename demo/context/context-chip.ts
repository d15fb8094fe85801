import type { ModelContext } from '../../src/index.ts'
import { h } from '../ui/dom.ts'
import { counted } from '../ui/format.ts'
import { createContextBar, sharesOf } from './context-bar.ts'

export interface ContextChip {
  readonly element: HTMLElement
  /** @param context - absent while nothing is known */
  show(context: ModelContext | undefined, window: number): void
}

/** How full the model's window is, in short; opens the panel that explains it. */
export function createContextChip(onOpen: () => void): ContextChip {
  const bar = createContextBar()
  const share = h('span', { class: 'context-share' })
  const element = h(
    'button',
    { type: 'button', class: 'chip context-chip', 'data-testid': 'context', hidden: true, onclick: () => onOpen() },
    bar.element,
    share,
  )
  return {
    element,
    show(context, window) {
      element.hidden = context === undefined
      if (context === undefined) return
      const used = context.tokens.total / window
      bar.show(sharesOf(context, window), window)
      share.textContent = used > 0 && used < 0.01 ? '<1 %' : `${Math.round(used * 100)} %`
      element.dataset['full'] = String(used > 0.75)
      element.title = `Model context: ${counted(context.tokens.total, 'token')} of ${counted(window, 'token')}`
      element.setAttribute('aria-label', `${share.textContent} used. ${element.title}`)
    },
  }
}
