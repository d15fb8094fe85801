import { h } from '../ui/dom.ts'
import { figureRows } from '../ui/panel.ts'
import type { Toasts } from '../ui/toasts.ts'
import { type Invitation, isInvitation, openInvitation } from './pairing.ts'

export interface InvitationDialog {
  readonly element: HTMLDialogElement
  /**
   * Asks about the invitation that the address has, if any. It is taken out of the address at once, so that no history
   * keeps it.
   */
  look(): void
}

/** Nobody's conversations go to a server because of a link: what it leads to is shown, and the user decides. */
export function createInvitationDialog(toasts: Toasts, onAccept: (invitation: Invitation) => void): InvitationDialog {
  const figures = h('dl', { class: 'panel-figures' })
  let asked: Invitation | undefined
  const element = h(
    'dialog',
    { class: 'dialog', 'aria-labelledby': 'invitation-title', 'data-testid': 'invitation' },
    h(
      'form',
      { method: 'dialog', onsubmit: () => asked !== undefined && onAccept(asked) },
      h('header', {}, h('h2', { id: 'invitation-title' }, 'Sync with another device?')),
      h(
        'p',
        {},
        'A link invites this device to sync. Conversations on this device will be sent to this server, and those of your other devices will arrive here:',
      ),
      figures,
      h(
        'p',
        { class: 'hint' },
        'Continue only if you created the link yourself. You see a preview before anything is sent.',
      ),
      h(
        'footer',
        {},
        h('button', { type: 'button', class: 'button', onclick: () => element.close() }, 'Cancel'),
        h('button', { type: 'submit', class: 'button primary', 'data-testid': 'invitation-yes' }, 'Continue'),
      ),
    ),
  )

  async function ask(hash: string): Promise<void> {
    try {
      asked = await openInvitation(hash)
      const { server, namespace, isSealed } = asked.settings
      figures.replaceChildren(
        ...figureRows([
          ['Server', server],
          ['Namespace', namespace],
          ['Encryption', isSealed ? 'end-to-end' : 'none: the server can read everything'],
        ]),
      )
      if (!element.open) element.showModal()
    } catch (error) {
      toasts.fail('The link can’t be used', error)
    }
  }

  return {
    element,
    look() {
      const { hash } = location
      if (!isInvitation(hash)) return
      history.replaceState(null, '', location.pathname + location.search)
      void ask(hash)
    },
  }
}
