import { h } from '../ui/dom.ts'
import { counted } from '../ui/format.ts'
import {
  type ContextSettings,
  readContextSettings,
  type ShrinkMode,
  shrinkModes,
  windows,
  writeContextSettings,
} from './context-settings.ts'

export interface ContextForm {
  readonly element: HTMLElement
  /** Shows what is chosen by now. */
  show(): void
}

const modes: Readonly<Record<ShrinkMode, readonly [name: string, hint: string]>> = {
  summary: ['Summary', 'Older messages are replaced by a summary'],
  lite: ['Lite', 'The oldest messages are left out'],
  memo: ['Memo', 'The oldest messages are noted in a memo, then left out'],
}

/** How large the window is, and how conversations are made to fit. */
export function createContextForm(onChange: () => void): ContextForm {
  const window = h(
    'select',
    { 'data-testid': 'context-window' },
    ...windows.map((tokens) => h('option', { value: tokens }, counted(tokens, 'token'))),
  )
  const radios = shrinkModes.map((mode) =>
    h('input', { type: 'radio', name: 'context-mode', value: mode, 'data-testid': `context-mode-${mode}` }),
  )
  const keepTurns = number('context-keep-turns', 1)
  const chars = number('context-chars', 0)
  const messages = number('context-messages', 0)
  const summaryFields = h('div', { class: 'context-fields' }, labelled('Recent turns to keep', keepTurns))
  const pruneFields = h(
    'div',
    { class: 'context-fields' },
    labelled('Compact above this many characters', chars),
    labelled('Messages to keep (0 for no limit)', messages),
  )
  const element = h(
    'form',
    { class: 'context-form', oninput: () => changed(), onsubmit: (event) => event.preventDefault() },
    labelled('Context window', window),
    h(
      'fieldset',
      { class: 'settings-provider' },
      h('legend', {}, 'When the window fills up'),
      ...radios.map((radio, i) => choice(radio, ...modes[shrinkModes[i]!])),
    ),
    summaryFields,
    pruneFields,
  )

  function changed(): void {
    const mode = shrinkModes.find((_, i) => radios[i]!.checked) ?? 'summary'
    const before = readContextSettings()
    writeContextSettings({
      window: Number(window.value),
      mode,
      keepTurns: valueOf(keepTurns, before.keepTurns),
      chars: valueOf(chars, before.chars),
      messages: valueOf(messages, before.messages),
    })
    toggle(mode)
    onChange()
  }

  function toggle(mode: ShrinkMode): void {
    summaryFields.hidden = mode !== 'summary'
    pruneFields.hidden = mode === 'summary'
  }

  return {
    element,
    show() {
      const settings: ContextSettings = readContextSettings()
      window.value = String(settings.window)
      radios.forEach((radio, i) => (radio.checked = shrinkModes[i] === settings.mode))
      keepTurns.value = String(settings.keepTurns)
      chars.value = String(settings.chars)
      messages.value = String(settings.messages)
      toggle(settings.mode)
    },
  }
}

const number = (testId: string, least: number): HTMLInputElement =>
  h('input', { type: 'number', min: least, step: 1, inputmode: 'numeric', 'data-testid': testId })

/** While a number is being typed, it may be none. */
const valueOf = (field: HTMLInputElement, otherwise: number): number =>
  field.value !== '' && field.checkValidity() ? Number(field.value) : otherwise

const labelled = (name: string, field: HTMLElement): HTMLElement =>
  h('label', { class: 'settings-field' }, h('span', {}, name), field)

const choice = (field: HTMLElement, name: string, hint: string): HTMLElement =>
  h('label', { class: 'settings-choice' }, field, h('span', {}, h('strong', {}, name), h('small', {}, hint)))
