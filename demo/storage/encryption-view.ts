import type { Encryption, SessionClient } from '../../src/index.ts'
import { h } from '../ui/dom.ts'
import { endedJob } from '../ui/ended-job.ts'
import { labelled } from '../ui/panel.ts'
import { messageOf } from '../ui/toasts.ts'
import { readLock, writeLock } from './lock.ts'

/**
 * Encryption on this device: to turn it on, to change the passphrase, to turn it off.
 *
 * @param onChanged - told what the store is opened with from now on
 */
export function createEncryptionView(
  client: SessionClient,
  onChanged: (encryption: Encryption | undefined) => void,
): HTMLElement {
  const outcome = h('p', { role: 'status', 'data-testid': 'encryption-outcome' })
  if (readLock() !== 'locked') {
    const turnOn = (): void => {
      writeLock('choose')
      location.reload()
    }
    return h(
      'div',
      { class: 'panel-parts' },
      h(
        'p',
        { class: 'hint' },
        'With a passphrase, someone who copies this browser’s profile can’t read your conversations. The chat API is then not available, because its Service Worker does not have the passphrase.',
      ),
      h(
        'div',
        { class: 'panel-buttons start' },
        h(
          'button',
          { type: 'button', class: 'button', 'data-testid': 'encrypt', onclick: turnOn },
          'Encrypt with a passphrase…',
        ),
      ),
    )
  }
  const passphrase = h('input', {
    type: 'password',
    required: true,
    autocomplete: 'new-password',
    'data-testid': 'new-passphrase',
  })
  const rotate = h('input', { type: 'checkbox' })
  const buttons = [
    h('button', { type: 'submit', class: 'button', 'data-testid': 'change-passphrase' }, 'Change passphrase'),
    h(
      'button',
      { type: 'button', class: 'button', 'data-testid': 'decrypt', onclick: () => void change(null) },
      'Turn encryption off',
    ),
  ]

  async function change(to: Encryption | null): Promise<void> {
    for (const button of buttons) button.disabled = true
    outcome.textContent = 'Working…'
    try {
      const { rewritten } = await endedJob(
        client.upkeep.changeEncryption(to, { rotate: rotate.checked }),
        ({ entries }) => (outcome.textContent = `${entries} re-encrypted…`),
      )
      if (to === null) {
        writeLock('none')
        return location.reload()
      }
      passphrase.value = ''
      outcome.textContent = `Changed.${rewritten > 0 ? ` ${rewritten} records were re-encrypted.` : ''} Reopen the app in other tabs.`
      onChanged(to)
    } catch (error) {
      outcome.textContent = messageOf(error)
    } finally {
      for (const button of buttons) button.disabled = false
    }
  }

  return h(
    'form',
    {
      class: 'panel-form',
      onsubmit: (event) => (event.preventDefault(), void change({ passphrase: passphrase.value })),
    },
    labelled('New passphrase', passphrase),
    h('label', { class: 'settings-check' }, rotate, 'Also change the key (re-encrypts everything)'),
    outcome,
    h('div', { class: 'panel-buttons start' }, ...buttons),
  )
}
