import type { InboundMessage } from '../../src/identity.ts'
import { h } from '../ui/dom.ts'

const texts = [
  ['channel', 'Channel', 'web'],
  ['account', 'Account', 'default'],
  ['chatId', 'Chat', 'none'],
  ['topicId', 'Topic', 'none'],
  ['spaceId', 'Space', 'none'],
  ['senderId', 'Sender', 'unknown'],
] as const satisfies readonly (readonly [keyof InboundMessage, label: string, placeholder: string])[]

export interface MessageForm {
  readonly element: HTMLElement
  show(message: InboundMessage): void
}

/** The fields of one message, as an app gets them from a channel. */
export function createMessageForm(onChange: (message: InboundMessage) => void): MessageForm {
  let shown: InboundMessage = {}
  const channels = h(
    'datalist',
    { id: 'identity-channels' },
    ...['web', 'telegram', 'slack', 'discord'].map((value) => h('option', { value })),
  )
  const fields = texts.map(([name, label, placeholder]) => {
    const field = h('input', {
      type: 'text',
      'data-testid': `identity-${name}`,
      autocomplete: 'off',
      autocapitalize: 'off',
      spellcheck: 'false',
      placeholder,
      list: name === 'channel' ? channels.id : undefined,
      oninput: changed,
    })
    return { name, field, element: h('label', { class: 'identity-field' }, h('span', {}, label), field) }
  })
  const kind = h(
    'select',
    { 'data-testid': 'identity-chatType', onchange: changed },
    ...['direct', 'group', 'channel'].map((value) => h('option', { value }, value)),
  )
  const mentioned = h('input', { type: 'checkbox', 'data-testid': 'identity-mentioned', onchange: changed })
  const elements = fields.map(({ element }) => element)
  elements.splice(2, 0, h('label', { class: 'identity-field' }, h('span', {}, 'Chat type'), kind))

  function changed(): void {
    const values = Object.fromEntries(fields.map(({ name, field }) => [name, field.value]))
    shown = { ...shown, ...values, chatType: kind.value, mentioned: mentioned.checked }
    onChange(shown)
  }

  return {
    element: h(
      'fieldset',
      { class: 'identity-form' },
      h('legend', {}, 'Message'),
      h('div', { class: 'identity-fields' }, ...elements),
      h('label', { class: 'identity-check' }, mentioned, h('span', {}, 'Mentions the agent')),
      channels,
    ),
    show(message) {
      shown = message
      for (const { name, field } of fields) field.value = message[name] ?? ''
      kind.value = message.chatType || 'direct'
      mentioned.checked = message.mentioned ?? false
    },
  }
}
