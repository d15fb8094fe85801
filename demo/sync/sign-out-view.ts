import { h } from '../ui/dom.ts'

/** Ends sync on this device. What would be lost is asked twice. */
export function createSignOutView(onSignOut: (andDelete: boolean) => void): HTMLElement {
  const element = h('div', { class: 'panel-buttons' })
  function ask(): void {
    element.replaceChildren(
      h('p', { class: 'sync-warning', role: 'alert' }, 'Everything on this device is deleted, also what was not synced yet. Other devices keep theirs.'),
      h('button', { type: 'button', class: 'button', onclick: () => begin() }, 'Keep it'),
      h('button', { type: 'button', class: 'button danger', 'data-testid': 'sign-out-delete', onclick: () => onSignOut(true) }, 'Delete everything here'),
    )
    element.querySelector('button')?.focus()
  }
  function begin(): void {
    element.replaceChildren(
      h('button', { type: 'button', class: 'button', 'data-testid': 'sign-out', onclick: () => onSignOut(false) }, 'Sign out, keep conversations'),
      h('button', { type: 'button', class: 'button', 'data-testid': 'sign-out-clear', onclick: ask }, 'Sign out and delete…'),
    )
  }
  begin()
  return element
}
