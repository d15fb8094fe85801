import { type Encryption, isSessionError, openSessionStore, type SessionClient } from '../../src/index.ts'
import { sessionWorker } from '../clock/wrong-workers.ts'
import { deviceDatabase } from '../device.ts'
import { h } from '../ui/dom.ts'
import { icon } from '../ui/icons.ts'
import { labelled } from '../ui/panel.ts'
import { messageOf } from '../ui/toasts.ts'
import { readLock, writeLock } from './lock.ts'

export interface OpenedStore {
  readonly client: SessionClient
  /** What it was opened with. */
  readonly encryption: Encryption | undefined
}

/** Opens the conversations of this device, with a passphrase where they have one. */
export async function openDeviceStore(): Promise<OpenedStore> {
  if (readLock() !== 'none') return askAndOpen()
  try {
    return { client: await openSessionStore({ name: deviceDatabase, ...sessionWorker }), encryption: undefined }
  } catch (error) {
    // This browser forgot that they are encrypted; the database did not.
    if (!isSessionError(error, 'WrongPassphrase')) throw error
    writeLock('locked')
    return askAndOpen()
  }
}

function askAndOpen(): Promise<OpenedStore> {
  return new Promise((resolve) => {
    const isNew = readLock() === 'choose'
    const passphrase = h('input', {
      type: 'password',
      required: true,
      autocomplete: isNew ? 'new-password' : 'current-password',
      'data-testid': 'passphrase',
      oninput: check,
    })
    const again = h('input', {
      type: 'password',
      required: true,
      autocomplete: 'new-password',
      'data-testid': 'passphrase-again',
      oninput: check,
    })
    const problem = h('p', { class: 'sync-warning', role: 'alert', 'data-testid': 'passphrase-problem', hidden: true })
    const button = h(
      'button',
      { type: 'submit', class: 'button primary', 'data-testid': 'unlock' },
      isNew ? 'Encrypt and open' : 'Open',
    )

    function check(): void {
      again.setCustomValidity(again.value === passphrase.value ? '' : 'The passphrases do not match.')
    }

    async function open(encryption: Encryption | undefined): Promise<void> {
      button.disabled = true
      try {
        const client = await openSessionStore({
          name: deviceDatabase,
          ...sessionWorker,
          ...(encryption === undefined ? {} : { encryption }),
        })
        writeLock(encryption === undefined ? 'none' : 'locked')
        resolve({ client, encryption })
      } catch (error) {
        problem.hidden = false
        problem.textContent = isSessionError(error, 'WrongPassphrase')
          ? 'This passphrase is not correct. Nothing was changed. Try again.'
          : messageOf(error)
        passphrase.select()
      } finally {
        button.disabled = false
      }
    }

    document.body.replaceChildren(
      h(
        'main',
        { class: 'fatal' },
        h(
          'h1',
          { class: 'unlock-title' },
          icon('lock'),
          isNew ? 'Choose a passphrase' : 'Your conversations are encrypted',
        ),
        h(
          'p',
          { class: 'hint' },
          isNew
            ? 'You enter it each time you open the app. Nobody can recover it for you.'
            : 'Enter the passphrase to open them.',
        ),
        h(
          'form',
          {
            class: 'panel-form',
            onsubmit: (event) => (event.preventDefault(), void open({ passphrase: passphrase.value })),
          },
          labelled('Passphrase', passphrase),
          isNew && labelled('Repeat passphrase', again),
          problem,
          h(
            'div',
            { class: 'panel-buttons' },
            isNew &&
              h('button', { type: 'button', class: 'button', onclick: () => void open(undefined) }, 'Don’t encrypt'),
            button,
          ),
        ),
      ),
    )
    passphrase.focus()
  })
}
