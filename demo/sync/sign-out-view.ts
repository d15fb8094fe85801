import type { Unsent } from '../../src/sync.ts'
import { h } from '../ui/dom.ts'
import { counted } from '../ui/format.ts'

/** Ends sync on this device. What would be lost is asked twice. */
export function createSignOutView(unsent: () => Promise<Unsent>, onSignOut: (andDelete: boolean) => void): HTMLElement {
  const element = h('div', { class: 'panel-buttons' })
  async function ask(): Promise<void> {
    const loss = await unsent().then(lossWords, () => 'Changes that are not synced yet will be lost.')
    element.replaceChildren(
      h(
        'p',
        { class: 'sync-warning', role: 'alert' },
        `Everything on this device will be deleted. ${loss} Other devices keep their copies.`,
      ),
      h('button', { type: 'button', class: 'button', onclick: () => begin() }, 'Keep everything'),
      h(
        'button',
        { type: 'button', class: 'button danger', 'data-testid': 'sign-out-delete', onclick: () => onSignOut(true) },
        'Delete everything here',
      ),
    )
    element.querySelector('button')?.focus()
  }
  function begin(): void {
    element.replaceChildren(
      h(
        'button',
        { type: 'button', class: 'button', 'data-testid': 'sign-out', onclick: () => onSignOut(false) },
        'Sign out, keep conversations',
      ),
      h(
        'button',
        { type: 'button', class: 'button', 'data-testid': 'sign-out-clear', onclick: () => void ask() },
        'Sign out and delete…',
      ),
    )
  }
  begin()
  return element
}

function lossWords({ sessions, attachments }: Unsent): string {
  if (sessions.length > 0) return `Unsynced changes in ${counted(sessions.length, 'conversation')} will be lost.`
  return attachments > 0
    ? `${counted(attachments, 'attachment')} that no other device has will be lost.`
    : 'The server has a copy of everything.'
}
