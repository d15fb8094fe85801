import type { ModelContext } from '../../src/index.ts'
import { h } from '../ui/dom.ts'
import { counted } from '../ui/format.ts'

/** What of a window is taken by what. */
export interface WindowShare {
  readonly kind: 'summary' | 'memo' | 'messages' | 'free'
  readonly name: string
  readonly tokens: number
}

/** How a context fills a window. */
export function sharesOf({ tokens, turns }: ModelContext, window: number): readonly WindowShare[] {
  const shares: readonly WindowShare[] = [
    { kind: 'summary', name: 'Summary', tokens: tokens.summary },
    { kind: 'memo', name: 'Memo', tokens: tokens.memo },
    { kind: 'messages', name: counted(turns, 'turn'), tokens: tokens.messages },
    { kind: 'free', name: 'Free', tokens: Math.max(0, window - tokens.total) },
  ]
  return shares.filter((share) => share.tokens > 0)
}

export interface ContextBar {
  readonly element: HTMLElement
  show(shares: readonly WindowShare[], window: number): void
}

/** A window as a bar, what fills it as parts of it. */
export function createContextBar(): ContextBar {
  const element = h('div', { class: 'context-bar', role: 'img' })
  return {
    element,
    show(shares, window) {
      const whole = Math.max(
        window,
        shares.reduce((sum, { tokens }) => sum + tokens, 0),
      )
      element.setAttribute(
        'aria-label',
        shares.map(({ name, tokens }) => `${name}: ${counted(tokens, 'token')}`).join(', '),
      )
      element.replaceChildren(
        ...shares.map(({ kind, tokens }) => {
          const part = h('span', { class: 'context-part', 'data-kind': kind })
          part.style.setProperty('--share', String(tokens / whole))
          return part
        }),
      )
    },
  }
}
