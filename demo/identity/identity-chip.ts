import type { SessionMeta } from '../../src/index.ts'
import type { SessionScope } from '../../src/types.ts'
import { h } from '../ui/dom.ts'
import { icon } from '../ui/icons.ts'

export interface IdentityChip {
  readonly element: HTMLElement
  show(meta: SessionMeta | undefined): void
}

/** Says what a conversation is shared by, and opens the panel that explains it. */
export function createIdentityChip(onOpen: (meta: SessionMeta | undefined) => void): IdentityChip {
  let shown: SessionMeta | undefined
  const text = h('span')
  const label = 'How this conversation’s key is derived'
  const element = h(
    'button',
    {
      type: 'button',
      class: 'chip identity-chip',
      'data-testid': 'identity',
      title: label,
      onclick: () => onOpen(shown),
    },
    icon('key'),
    text,
    h('span', { class: 'visually-hidden' }, label),
  )
  return {
    element,
    show(meta) {
      shown = meta
      text.textContent = meta?.scope === undefined ? '' : scopeText(meta.scope)
    },
  }
}

const scopeText = ({ channel, dimensions = [], values = {} }: SessionScope): string =>
  [channel, ...dimensions.map((name) => values[name])].join(' · ')
