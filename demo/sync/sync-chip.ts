import type { DeviceSyncSnapshot } from '../../src/sync.ts'
import { h } from '../ui/dom.ts'
import { icon } from '../ui/icons.ts'
import { syncWords } from './sync-words.ts'

export interface SyncChip {
  readonly element: HTMLElement
  show(snapshot: DeviceSyncSnapshot | undefined): void
}

/** Says in a word how sync stands, and opens the panel that says more. */
export function createSyncChip(onOpen: () => void): SyncChip {
  const sign = h('span', { class: 'sync-sign' })
  const text = h('span', { class: 'sync-word' })
  const element = h(
    'button',
    { type: 'button', class: 'chip sync-chip', 'data-testid': 'sync', onclick: () => onOpen() },
    sign,
    text,
  )
  let shown = ''

  return {
    element,
    show(snapshot) {
      const words = syncWords(snapshot)
      element.dataset['state'] = words.state
      text.textContent = words.word
      element.title = `Sync: ${words.text}`
      element.setAttribute('aria-label', `${words.word}. Sync settings`)
      // Made anew, an icon that turns would begin again.
      if (shown !== words.icon) sign.replaceChildren(icon(words.icon))
      shown = words.icon
    },
  }
}
