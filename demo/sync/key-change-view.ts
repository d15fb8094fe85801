import type { KeyChange, RotationProgress, RotationReport } from '../../src/sync.ts'
import { h } from '../ui/dom.ts'
import { counted } from '../ui/format.ts'
import { messageOf } from '../ui/toasts.ts'

export interface KeyChangeView {
  readonly element: HTMLElement
  /** @param isBegun - a change was broken off, and can be gone on with */
  show(isBegun: boolean): void
}

/** Puts everything on the server under another key. What that does to the other devices is said before. */
export function createKeyChangeView(change: (how: KeyChange) => Promise<RotationReport>): KeyChangeView {
  const outcome = h('p', { class: 'sync-text', role: 'status', 'data-testid': 'key-outcome' })
  const begin = h('button', { type: 'button', class: 'button', 'data-testid': 'change-key', onclick: ask })
  const steps = h('div', { class: 'key-change' }, begin)
  let isUnderWay = false

  function ask(): void {
    outcome.textContent = ''
    steps.replaceChildren(
      h(
        'p',
        { class: 'hint' },
        'Everything on the server is re-encrypted with a new key. Your other devices then show “Wrong key” until you give them the new key by QR code or link. Their unsent changes wait until then.',
      ),
      h(
        'div',
        { class: 'panel-buttons start' },
        h('button', { type: 'button', class: 'button', onclick: rest }, 'Cancel'),
        h(
          'button',
          { type: 'button', class: 'button primary', 'data-testid': 'change-key-yes', onclick: () => void run() },
          'Change key',
        ),
      ),
    )
    steps.querySelector<HTMLElement>('.primary')?.focus()
  }

  function rest(): void {
    steps.replaceChildren(begin)
    begin.focus()
  }

  async function run(): Promise<void> {
    const stopping = new AbortController()
    const bar = h('progress', { class: 'import-bar', 'aria-label': 'Conversations under the new key' })
    const count = h('p', { class: 'hint' }, 'Announcing the new key…')
    const onProgress = ({ done, total }: RotationProgress): void => {
      bar.max = Math.max(1, total)
      bar.value = done
      count.textContent = `${done} of ${counted(total, 'conversation')} under the new key`
    }
    isUnderWay = true
    steps.replaceChildren(
      bar,
      count,
      h(
        'div',
        { class: 'panel-buttons start' },
        h('button', { type: 'button', class: 'button', onclick: () => stopping.abort() }, 'Stop'),
      ),
    )
    try {
      outcome.textContent = wordsOf(await change({ onProgress, signal: stopping.signal }))
    } catch (error) {
      outcome.textContent = `The key change was interrupted. Conversations already under the new key stay there. (${messageOf(error)})`
    } finally {
      isUnderWay = false
      rest()
    }
  }

  return {
    element: h('div', { class: 'key-change' }, outcome, steps),
    show(isBegun) {
      if (!isUnderWay) begin.textContent = isBegun ? 'Resume key change…' : 'Change key…'
    },
  }
}

function wordsOf({ moved, left }: RotationReport): string {
  const rest =
    left.length === 0
      ? 'Now show your other devices the QR code.'
      : `${counted(left.length, 'conversation')} could not be moved yet: ${left[0]?.reason ?? ''}`
  return `The new key is in use, with ${counted(moved.length, 'conversation')} under it. ${rest}`
}
