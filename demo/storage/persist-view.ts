import type { PersistAnswer, SessionClient } from '../../src/index.ts'
import { h } from '../ui/dom.ts'

/** What the browser says when it is asked to keep the data. */
export const persistAnswers = {
  granted: 'The browser promises to keep this data until you delete it.',
  denied:
    'The browser has not promised to keep this data. Browsers usually do so for sites that are installed, bookmarked or often used.',
  unanswered: 'The browser did not answer.',
  unavailable: 'This browser does not support such a request.',
} as const satisfies Record<PersistAnswer, string>

export interface PersistView {
  readonly element: HTMLElement
  refresh(): Promise<void>
}

/** Whether the browser may throw the conversations away. */
export function createPersistView(client: SessionClient): PersistView {
  const answer = h('p', { role: 'status', 'data-testid': 'persist-answer' })
  const ask = h(
    'button',
    { type: 'button', class: 'button', onclick: () => void persist() },
    'Ask the browser to keep this data',
  )

  async function persist(): Promise<void> {
    ask.disabled = true
    const said = await client.upkeep.persist()
    answer.textContent = persistAnswers[said]
    ask.disabled = false
    ask.hidden = said === 'granted'
  }

  return {
    element: h('div', { class: 'panel-parts' }, answer, h('div', { class: 'panel-buttons start' }, ask)),
    async refresh() {
      const { persisted } = await client.upkeep.health()
      answer.textContent =
        persisted === undefined
          ? persistAnswers.unavailable
          : persisted
            ? persistAnswers.granted
            : 'The browser may delete this data when space runs low.'
      ask.hidden = persisted !== false
    },
  }
}
