import { h } from './dom.ts'
import { iconButton } from './icon-button.ts'

interface Toast {
  readonly text: string
  readonly tone?: 'plain' | 'warning' | 'error'
  readonly action?: { readonly label: string; readonly testId?: string; readonly run: () => void }
  /** How long it stays, in milliseconds; it waits while the pointer or the focus is on it. Default 6,000. */
  readonly shownMs?: number
}

export interface Toasts {
  readonly element: HTMLElement
  show(toast: Toast): void
  /** Shows that something is being done, once it can be felt to take its time, until it ends. */
  work(text: string, onCancel: () => void): Work
  /** Shows what went wrong, in the error's own words. */
  fail(what: string, error: unknown): void
}

interface Work {
  say(text: string): void
  end(): void
}

/** Work that is done sooner is not worth a message. */
const patienceMs = 400

/** Short messages in a corner, with at most one action each. */
export function createToasts(): Toasts {
  const element = h('div', { class: 'toasts', role: 'status', 'aria-live': 'polite' })

  function show({ text, tone = 'plain', action, shownMs = 6000 }: Toast): void {
    const close = () => {
      clearTimeout(timer)
      item.remove()
    }
    const item = h(
      'div',
      {
        class: 'toast',
        'data-tone': tone,
        'data-testid': 'toast',
        onpointerenter: pause,
        onpointerleave: wait,
        onfocusin: pause,
        onfocusout: wait,
      },
      h('p', {}, text),
      action !== undefined &&
        h(
          'button',
          {
            type: 'button',
            class: 'text-button',
            'data-testid': action.testId,
            onclick: () => (close(), action.run()),
          },
          action.label,
        ),
      iconButton('close', 'Dismiss', { onclick: close }),
    )
    let timer: ReturnType<typeof setTimeout> | undefined
    function pause(): void {
      clearTimeout(timer)
    }
    function wait(): void {
      clearTimeout(timer)
      timer = setTimeout(close, shownMs)
    }
    stayReachable()
    element.append(item)
    wait()
  }

  function work(text: string, onCancel: () => void): Work {
    const words = h('p', {}, text)
    const item = h(
      'div',
      { class: 'toast', 'data-testid': 'work' },
      words,
      h('button', { type: 'button', class: 'text-button', onclick: () => onCancel() }, 'Cancel'),
    )
    const timer = setTimeout(() => (stayReachable(), element.append(item)), patienceMs)
    return {
      say: (next) => (words.textContent = next),
      end() {
        clearTimeout(timer)
        item.remove()
      },
    }
  }

  /** Outside of an open dialog nothing can be seen well, or clicked. */
  function stayReachable(): void {
    const dialog = [...document.querySelectorAll('dialog[open]')].at(-1)
    const place = dialog ?? document.body
    if (element.parentElement === place) return
    place.append(element)
    dialog?.addEventListener('close', () => document.body.append(element), { once: true })
  }

  return {
    element,
    show,
    work,
    fail: (what, error) => show({ text: `${what}: ${messageOf(error)}`, tone: 'error', shownMs: 12_000 }),
  }
}

/** The words of anything that was thrown. */
export const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))
