import { copyButton } from '../ui/copy-button.ts'
import { h } from '../ui/dom.ts'
import type { Toasts } from '../ui/toasts.ts'
import { createInvitation } from './pairing.ts'
import { qrCode } from './qr-code.ts'
import { isOfThisMachine, readSyncSettings } from './sync-settings.ts'

export interface PairingView {
  readonly element: HTMLElement
  /** Forgets what it showed. */
  hide(): void
}

/**
 * Brings another device in, by a code to photograph or a link. Only shown when asked for: who sees it may take part.
 */
export function createPairingView(toasts: Toasts): PairingView {
  const place = h('div', { class: 'pairing' })
  const button = h(
    'button',
    {
      type: 'button',
      class: 'button',
      'data-testid': 'pair',
      onclick: () => void (place.childElementCount === 0 ? show() : hide()),
    },
    label,
  )

  async function show(): Promise<void> {
    button.disabled = true
    try {
      const settings = readSyncSettings()
      const link = await createInvitation(settings)
      const field = h('input', {
        type: 'text',
        readonly: true,
        value: link,
        'aria-label': 'Link for the other device',
        'data-testid': 'pair-link',
        onfocus: () => field.select(),
      })
      place.replaceChildren(
        qrCode(link, 'QR code of the link'),
        h(
          'div',
          { class: 'pairing-words' },
          h(
            'div',
            { class: 'pairing-link' },
            field,
            copyButton(() => link, 'Copy link'),
          ),
          h(
            'p',
            { class: 'hint' },
            `Anyone with this link can sync these conversations: show it, don’t send it.${settings.isSealed ? ' It contains the key and is valid for ten minutes.' : ''}`,
          ),
          isOfThisMachine(settings) &&
            h(
              'p',
              { class: 'hint' },
              'This server can only be reached from this computer: another browser here can use the link, a phone can’t.',
            ),
        ),
      )
      button.textContent = 'Hide QR code'
    } catch (error) {
      toasts.fail('The QR code could not be created', error)
    } finally {
      button.disabled = false
    }
  }

  function hide(): void {
    place.replaceChildren()
    button.textContent = label
  }

  return { element: h('div', { class: 'pairing-part' }, button, place), hide }
}

const label = 'Show QR code'
