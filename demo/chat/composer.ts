import { attachButton, takeFiles } from '../attachments/attach-button.ts'
import { createAttachmentTray } from '../attachments/attachment-tray.ts'
import { h } from '../ui/dom.ts'
import { iconButton } from '../ui/icon-button.ts'
import { icon } from '../ui/icons.ts'
import { createModelSelect } from './model-select.ts'
import { isSendKey } from './send-key.ts'
import type { UnsentTexts } from './unsent-texts.ts'

export interface ComposerOptions {
  readonly unsent: UnsentTexts
  /** Resolves when the message is stored; when it rejects, text and files come back. */
  readonly onSend: (text: string, files: readonly File[]) => Promise<void>
  readonly onStop: () => void
  /** Another model is to answer in the session that is shown. */
  readonly onModel: (name: string) => void
  readonly onSettings: () => void
  /** Somebody writes, or does no more. Said again with every letter. */
  readonly onTyping: (isTyping: boolean) => void
  /** Says who else is here. */
  readonly presence: HTMLElement
}

export interface Composer {
  readonly element: HTMLElement
  /** Changes to another session, and to the text that was begun there. Before the first one nothing can be written. */
  show(key: string): void
  /** Changes between sending and stopping. */
  setBusy(busy: boolean): void
  /** @param names - the models of the endpoint */
  setModel(chosen: string, names: readonly string[]): void
  focus(): void
}

/** Where messages are written. A text that was begun is kept for each session until its message is stored. */
export function createComposer({
  unsent,
  onSend,
  onStop,
  onModel,
  onSettings,
  onTyping,
  presence,
}: ComposerOptions): Composer {
  const field = h('textarea', {
    class: 'composer-field',
    'data-testid': 'composer',
    'aria-label': 'Message',
    dir: 'auto',
    placeholder: 'Write a message…',
    rows: 1,
    enterkeyhint: 'send',
    disabled: true,
    oninput: changed,
    onkeydown: byKey,
  })
  const send = h(
    'button',
    { type: 'submit', class: 'send-button', 'data-testid': 'send', 'aria-label': 'Send', title: 'Send (Enter)' },
    icon('send'),
  )
  const stop = iconButton('stop', 'Stop and keep the text so far (Esc)', {
    class: 'send-button',
    'data-testid': 'stop',
    hidden: true,
    onclick: () => onStop(),
  })
  const model = createModelSelect(onModel)
  const connect = h(
    'button',
    { type: 'button', class: 'text-button', 'data-testid': 'connect-model', onclick: () => onSettings() },
    'Connect a model',
  )
  const tray = createAttachmentTray(refresh)
  const box = h(
    'div',
    { class: 'composer-box' },
    tray.element,
    field,
    h('div', { class: 'composer-row' }, ...attachButton(attach), model.element, send, stop),
  )
  const hint = h(
    'p',
    { class: 'composer-hint' },
    connect,
    presence,
    h('span', { class: 'composer-keys' }, 'Enter to send, Shift + Enter for a new line'),
  )
  const element = h(
    'form',
    { class: 'composer', onsubmit: (event) => (event.preventDefault(), void submit()) },
    box,
    hint,
  )
  takeFiles(element, attach)
  let key = ''
  let busy = false
  let sending: { readonly key: string; readonly text: string } | undefined

  function changed(): void {
    unsent.keep(key, field.value)
    onTyping(field.value.trim() !== '')
    refresh()
  }

  function attach(files: readonly File[]): void {
    tray.add(files)
    field.focus()
  }

  function refresh(): void {
    // Shrinks only when the height is let go first.
    field.style.height = 'auto'
    field.style.height = `${field.scrollHeight}px`
    send.disabled = sending !== undefined || (field.value.trim() === '' && tray.files().length === 0)
    send.hidden = busy
    stop.hidden = !busy
  }

  function byKey(event: KeyboardEvent): void {
    if (!isSendKey(event)) return
    event.preventDefault()
    void submit()
  }

  async function submit(): Promise<void> {
    const text = field.value.trim()
    if ((text === '' && tray.files().length === 0) || busy || sending !== undefined) return
    const target = key
    sending = { key, text }
    field.value = ''
    const files = tray.take()
    onTyping(false)
    refresh()
    try {
      await onSend(text, files)
      unsent.sent(target, text)
    } catch {
      tray.giveBack(target, files)
      giveBack(target, text)
    } finally {
      sending = undefined
      refresh()
    }
  }

  /** Puts a text that could not be sent before what was begun since. */
  function giveBack(target: string, text: string): void {
    const begun = key === target ? field.value : unsent.of(target)
    const both = begun === '' || begun.trim() === text ? text : `${text}\n\n${begun}`
    unsent.keep(target, both)
    if (key === target) field.value = both
  }

  return {
    element,
    show(next) {
      key = next
      field.disabled = false
      const begun = unsent.of(key)
      field.value = sending?.key === key && sending.text === begun.trim() ? '' : begun
      tray.show(key)
    },
    setBusy(now) {
      if (now === busy) return
      const hadFocus = element.contains(document.activeElement)
      busy = now
      refresh()
      if (hadFocus) field.focus()
    },
    setModel(chosen, names) {
      model.show(chosen, names)
      connect.hidden = names.length > 0
    },
    focus() {
      // On a touch screen the keyboard would cover what was opened.
      if (!matchMedia('(pointer: coarse)').matches) field.focus()
    },
  }
}
