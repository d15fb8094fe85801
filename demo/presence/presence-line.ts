import type { PeerState } from '../../src/sync.ts'
import { h } from '../ui/dom.ts'
import { presenceWords } from './presence-words.ts'

export interface PresenceLine {
  readonly element: HTMLElement
  show(peers: readonly PeerState[]): void
}

/** Says who else is in the open conversation, and who writes there. */
export function createPresenceLine(): PresenceLine {
  const text = h('span')
  const element = h('span', { class: 'presence', role: 'status', 'data-testid': 'presence' }, text)

  return {
    element,
    show(peers) {
      const words = presenceWords(peers)
      element.dataset['typing'] = String(peers.some(({ isTyping }) => isTyping))
      // A status that is written anew is read out anew, and a reply that grows changes the peers five times a second.
      if (text.textContent === words) return
      text.textContent = words
      element.title = words
    },
  }
}
