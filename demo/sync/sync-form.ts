import { h } from '../ui/dom.ts'
import { labelled } from '../ui/panel.ts'
import { isOffered, readSyncSettings, type SyncSettings, serverAddress } from './sync-settings.ts'

export interface SyncForm {
  readonly element: HTMLFormElement
  show(): void
  setBusy(isBusy: boolean): void
}

/** Where to sync. */
export function createSyncForm(onConnect: (settings: SyncSettings) => void): SyncForm {
  const server = h('input', {
    type: 'text',
    inputmode: 'url',
    required: true,
    autocomplete: 'off',
    spellcheck: 'false',
    placeholder: 'wss://sync.example.com',
    'data-testid': 'sync-server',
    oninput: check,
  })
  const token = h('input', { type: 'password', autocomplete: 'off', 'data-testid': 'sync-token', oninput: check })
  const namespace = h('input', {
    type: 'text',
    required: true,
    autocomplete: 'off',
    spellcheck: 'false',
    pattern: '[^\\/]+',
    title: 'Any name without a slash',
    'data-testid': 'sync-namespace',
  })
  const isSealed = h('input', { type: 'checkbox', 'data-testid': 'sync-sealed' })
  const hint = h('p', { class: 'hint' })
  const connect = h('button', { type: 'submit', class: 'button primary', 'data-testid': 'sync-connect' }, 'Preview')
  const element = h(
    'form',
    { class: 'panel-form', onsubmit: (event) => (event.preventDefault(), onConnect(settings())) },
    labelled('Server', server),
    hint,
    h(
      'div',
      { class: 'panel-fields' },
      labelled('Namespace (whose conversations)', namespace),
      labelled('Token', token),
    ),
    h('label', { class: 'settings-check' }, isSealed, 'End-to-end encryption'),
    h(
      'p',
      { class: 'hint' },
      'The server then sees only sizes and times. Other devices get the key by link or QR code.',
    ),
    h('div', { class: 'panel-buttons' }, connect),
  )

  function check(): void {
    server.setCustomValidity(
      server.value === '' || serverAddress(server.value) !== undefined
        ? ''
        : 'Enter an address that begins with ws:// or wss://',
    )
    hint.replaceChildren(
      ...(isOffered(settings())
        ? ['This server was started together with the app.']
        : [
            'To run your own: ',
            h('code', {}, 'npm run sync-server'),
            ' starts a server and prints its address and its secret, which is the token.',
          ]),
    )
  }

  const settings = (): SyncSettings => ({
    server: serverAddress(server.value) ?? server.value,
    token: token.value,
    namespace: namespace.value.trim(),
    isSealed: isSealed.checked,
  })

  return {
    element,
    show() {
      const now = readSyncSettings()
      server.value = now.server
      token.value = now.token
      namespace.value = now.namespace
      isSealed.checked = now.isSealed
      check()
    },
    setBusy(isBusy) {
      connect.disabled = isBusy
      connect.textContent = isBusy ? 'Contacting the server…' : 'Preview'
    },
  }
}
