import { readSettings, writeSettings } from './settings.ts'
import { h } from './ui/dom.ts'
import { iconButton } from './ui/icon-button.ts'

export interface SettingsDialog {
  readonly element: HTMLDialogElement
  open(): void
}

/** Which model answers, and how to reach it. */
export function createSettingsDialog(onSaved: () => void): SettingsDialog {
  const local = h('input', { type: 'radio', name: 'provider', value: 'local' })
  const openai = h('input', { type: 'radio', name: 'provider', value: 'openai' })
  const baseUrl = h('input', {
    type: 'url',
    required: true,
    autocomplete: 'off',
    spellcheck: 'false',
    placeholder: 'https://api.openai.com/v1',
  })
  const model = h('input', {
    type: 'text',
    required: true,
    autocomplete: 'off',
    spellcheck: 'false',
    placeholder: 'Model name',
  })
  const apiKey = h('input', { type: 'password', autocomplete: 'off', placeholder: 'Leave empty if not needed' })
  const keepKey = h('input', { type: 'checkbox' })
  const viaApi = h('input', { type: 'checkbox', 'data-testid': 'via-api' })
  const endpoint = h(
    'fieldset',
    { class: 'settings-endpoint' },
    h('legend', { class: 'visually-hidden' }, 'Endpoint'),
    labelled('Base URL', baseUrl),
    labelled('Model', model),
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
    h(
      'fieldset',
      { class: 'settings-provider', onchange: () => toggle() },
      h('legend', {}, 'Provider'),
      choice(local, 'Local script', 'Works offline, but is not clever'),
      choice(openai, 'Remote model', 'Any OpenAI-compatible endpoint'),
    ),
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

  function toggle(): void {
    endpoint.hidden = !openai.checked
    // Otherwise its empty required fields would keep the form from being sent.
    endpoint.disabled = endpoint.hidden
  }

  function save(): void {
    writeSettings({
      provider: openai.checked ? 'openai' : 'local',
      baseUrl: baseUrl.value.trim(),
      model: model.value.trim(),
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
      local.checked = settings.provider === 'local'
      openai.checked = settings.provider === 'openai'
      baseUrl.value = settings.baseUrl
      model.value = settings.model
      apiKey.value = settings.apiKey
      keepKey.checked = settings.keepKey
      viaApi.checked = settings.viaApi
      toggle()
      element.showModal()
    },
  }
}

const labelled = (name: string, field: HTMLElement): HTMLElement =>
  h('label', { class: 'settings-field' }, h('span', {}, name), field)

const choice = (field: HTMLElement, name: string, hint: string): HTMLElement =>
  h('label', { class: 'settings-choice' }, field, h('span', {}, h('strong', {}, name), h('small', {}, hint)))
