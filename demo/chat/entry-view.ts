import type { EntryView, Message } from '../../src/index.ts'
import type { BlobReader } from '../attachments/attached-file.ts'
import { copyButton } from '../ui/copy-button.ts'
import { h } from '../ui/dom.ts'
import { longTime, shortTime } from '../ui/format.ts'
import { iconButton } from '../ui/icon-button.ts'
import { isToolResult, messageParts, messageText, printed } from './message-parts.ts'
import { folded, partView } from './part-view.ts'
import { isSendKey } from './send-key.ts'

/** What can be done with an entry of the conversation. */
export interface EntryActions {
  /** Where the files are that messages name. */
  readonly blobs: BlobReader
  /** Writes the reply that this entry belongs to anew, on a branch. */
  regenerate(entry: EntryView): void
  /** Sends another text in place of this one, on a branch. */
  resend(entry: EntryView, text: string): void
  /** Has the model go on with a reply that was cut off, in its place. */
  resume(entry: EntryView): void
}

/** Shows one entry of a transcript: a message, or one of the notes that stand between messages. */
export function entryView(entry: EntryView, actions: EntryActions): HTMLElement {
  const view = entry.message === undefined ? noteView(entry) : messageView(entry, entry.message, actions)
  view.dataset['entry'] = entry.id
  return view
}

function messageView(entry: EntryView, message: Message, actions: EntryActions): HTMLElement {
  const { role } = message
  const parts = messageParts(message)
  const body = h(
    'div',
    { class: 'message-body' },
    ...parts.map((part) => partView(part, role === 'user', actions.blobs)),
  )
  const stopped = stopNote(message)
  if (stopped !== undefined) body.append(h('p', { class: 'stop-note' }, stopped))
  const look = isToolResult(message) || role === 'bashExecution' ? 'tool' : role
  const view = h(
    'article',
    {
      class: 'message',
      'data-testid': 'message',
      'data-role': role,
      'data-look': look,
      'aria-label': roleNames[look] ?? look,
    },
    body,
  )
  // A message that calls tools is not the end of its reply: the actions stand there.
  const isStep = look === 'tool' || parts.some((part) => part.kind === 'tool-call')
  if (!isStep && body.childElementCount > 0) view.append(actionRow(entry, message, actions, body))
  view.hidden = body.childElementCount === 0
  return view
}

function actionRow(entry: EntryView, message: Message, actions: EntryActions, body: HTMLElement): HTMLElement {
  const text = messageText(message)
  return h(
    'div',
    { class: 'message-actions' },
    text !== '' && copyButton(() => text, 'Copy message'),
    message.role === 'user' &&
      iconButton('pencil', 'Edit and resend', {
        'data-testid': 'edit',
        onclick: () => editInPlace(entry, text, actions, body),
      }),
    message.role === 'assistant' &&
      message['interrupted'] === true &&
      h(
        'button',
        { type: 'button', class: 'text-button', 'data-testid': 'resume', onclick: () => actions.resume(entry) },
        'Continue',
      ),
    message.role === 'assistant' &&
      iconButton('redo', 'Regenerate reply', { 'data-testid': 'regenerate', onclick: () => actions.regenerate(entry) }),
    h('time', { datetime: new Date(entry.at).toISOString(), title: longTime(entry.at) }, shortTime(entry.at)),
  )
}

/** Puts a form in the place of a message, until it is sent or given up. */
function editInPlace(entry: EntryView, text: string, actions: EntryActions, body: HTMLElement): void {
  const field = h('textarea', {
    class: 'edit-field',
    'aria-label': 'Edit message',
    dir: 'auto',
    enterkeyhint: 'send',
    rows: Math.min(12, text.split('\n').length + 1),
  })
  field.value = text
  const form = h(
    'form',
    {
      class: 'edit-form',
      'data-testid': 'edit-form',
      onsubmit: (event) => (event.preventDefault(), send()),
      onkeydown: byKey,
    },
    field,
    h('p', { class: 'hint' }, 'Enter to send, Esc to cancel. You can switch back to the original.'),
    h('button', { type: 'button', class: 'button', onclick: () => close() }, 'Cancel'),
    h('button', { type: 'submit', class: 'button primary', 'data-testid': 'edit-send' }, 'Send'),
  )
  function close(): void {
    form.replaceWith(body)
  }
  function send(): void {
    const changed = field.value.trim()
    if (changed === '') return
    close()
    actions.resend(entry, changed)
  }
  function byKey(event: KeyboardEvent): void {
    if (event.key === 'Escape') close()
    else if (isSendKey(event)) {
      event.preventDefault()
      send()
    } else return
    event.stopPropagation()
  }
  body.replaceWith(form)
  field.focus()
}

/** Why a reply ended early, when it did. */
function stopNote(message: Message): string | undefined {
  if (typeof message['errorMessage'] === 'string') return message['errorMessage']
  if (message['stopped'] === true || message['stopReason'] === 'aborted') return 'Stopped early'
  return message['interrupted'] === true ? 'Cut off' : undefined
}

function noteView(entry: EntryView): HTMLElement {
  const data = entry.data ?? {}
  const text = (field: string): string => (typeof data[field] === 'string' ? data[field] : '')
  switch (entry.type) {
    case 'branch_summary':
      return h(
        'div',
        { class: 'note summary' },
        folded({ sign: 'fold', name: 'Summary of another branch', text: text('summary'), isProse: true }),
      )
    case 'model_change':
      return note(`Model: ${[text('provider'), text('modelId')].filter((word) => word !== '').join(' / ')}`)
    case 'thinking_level_change':
      return note(`Thinking: ${text('thinkingLevel')}`)
    case 'session_info':
      return note(`Named “${text('name')}”`)
    case 'label':
      return note(text('label') === '' ? 'Label removed' : `Label: ${text('label')}`)
    case 'custom_message':
      return h(
        'div',
        { class: 'note' },
        folded({
          sign: 'fold',
          name: text('customType'),
          hint: 'added by an extension',
          text: printed(data['content']),
        }),
      )
    default:
      return h(
        'div',
        { class: 'note' },
        folded({ sign: 'fold', name: text('customType') || entry.type, hint: entry.type, text: printed(data) }),
      )
  }
}

const note = (text: string): HTMLElement => h('p', { class: 'note' }, text)

const roleNames: Readonly<Record<string, string>> = { user: 'You', assistant: 'Reply', tool: 'Tool result' }
