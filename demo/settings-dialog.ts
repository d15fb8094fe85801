import { namesIn, readSettings, writeSettings } from './settings.ts'
import { h } from './ui/dom.ts'
import { iconButton } from './ui/icon-button.ts'

export interface SettingsDialog {
  readonly element: HTMLDialogElement
  open(): void
}

/** Which models there are, and how to reach them. */
export function createSettingsDialog(onSaved: () => void): SettingsDialog {
  const baseUrl = h('input', {
    type: 'url',
    required: true,
    'data-testid': 'base-url',
    autocomplete: 'off',
    spellcheck: 'false',
    placeholder: 'https://api.openai.com/v1',
  })
  const models = h('input', {
    type: 'text',
    'data-testid': 'models',
    autocomplete: 'off',
    spellcheck: 'false',
    placeholder: 'Such as llama3.2, mistral',
  })
  const apiKey = h('input', { type: 'password', autocomplete: 'off', placeholder: 'Leave empty if not needed' })
  const keepKey = h('input', { type: 'checkbox' })
  const viaApi = h('input', { type: 'checkbox', 'data-testid': 'via-api' })
  const endpoint = h(
    'fieldset',
    { class: 'settings-endpoint' },
    h('legend', {}, 'Connect models of any OpenAI-compatible endpoint, to choose from beside the send button.'),
    labelled('Base URL', baseUrl),
    labelled('Models, separated by commas', models),
    labelled('API key', apiKey),
    h('label', { class: 'settings-check' }, keepKey, 'Remember the key in this browser'),
    h(
      'p',
      { class: 'hint' },
      'The key is sent to this address only. If it is not remembered, it is gone when the tab closes. If it is remembered, it is stored in this browser without encryption.',
    ),
  )
  const form = h(
    'form',
    { method: 'dialog', onsubmit: () => save() },
    h('header', {}, h('h2', {}, 'Settings'), iconButton('close', 'Close', { onclick: () => element.close() })),
    endpoint,
    h('label', { class: 'settings-check' }, viaApi, 'Answer through the chat API'),
    h(
      'p',
      { class: 'hint' },
      'A Service Worker serves the API with the handler that a server would run. It also works offline.',
    ),
    h(
      'footer',
      {},
      h('button', { type: 'button', class: 'button', onclick: () => element.close() }, 'Cancel'),
      h('button', { type: 'submit', class: 'button primary', 'data-testid': 'settings-save' }, 'Save'),
    ),
  )
  const element = h('dialog', { class: 'dialog', 'aria-label': 'Settings' }, form)

  function save(): void {
    writeSettings({
      models: namesIn(models.value),
      baseUrl: baseUrl.value.trim(),
      apiKey: apiKey.value.trim(),
      keepKey: keepKey.checked,
      viaApi: viaApi.checked,
    })
    onSaved()
  }

  return {
    element,
    open() {
      const settings = readSettings()
      baseUrl.value = settings.baseUrl
      models.value = settings.models.join(', ')
      apiKey.value = settings.apiKey
      keepKey.checked = settings.keepKey
      viaApi.checked = settings.viaApi
      element.showModal()
    },
  }
}

const labelled = (name: string, field: HTMLElement): HTMLElement =>
  h('label', { class: 'settings-field' }, h('span', {}, name), field)
