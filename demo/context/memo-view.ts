import type { JsonObject, JsonValue } from '../../src/index.ts'
import { h } from '../ui/dom.ts'

export interface MemoView {
  readonly element: HTMLElement
  show(memo: JsonObject): void
}

/**
 * What a session's memo says, one line each. What happened last to the conversation is kept there too, and told apart.
 */
export function createMemoView(): MemoView {
  const list = h('dl', { class: 'memo-list', 'data-testid': 'memo' })
  const last = h('p', { class: 'memo-last' })
  const empty = h(
    'p',
    { class: 'hint' },
    'Nothing yet. In memo mode, the model notes here what to remember from messages that are left out.',
  )
  const element = h('section', { class: 'memo-view', 'aria-label': 'Memo' }, h('h3', {}, 'Memo'), list, empty, last)
  return {
    element,
    show({ last_resize: resize, ...memo }) {
      const lines = Object.entries(memo)
      list.replaceChildren(
        ...lines.flatMap(([name, value]) => [h('dt', {}, name.replaceAll('_', ' ')), h('dd', {}, told(value))]),
      )
      list.hidden = lines.length === 0
      empty.hidden = lines.length > 0
      last.textContent = resizeText(resize)
      last.hidden = last.textContent === ''
    },
  }
}

const told = (value: JsonValue | undefined): string =>
  typeof value === 'string'
    ? value
    : Array.isArray(value)
      ? value.map((one) => told(one as JsonValue)).join(' · ')
      : JSON.stringify(value)

const reasons: Readonly<Record<string, string>> = {
  max_messages_text_length: 'the text was too long',
  max_keep_messages_count: 'there were too many messages',
  every_n_turns: 'several turns had passed',
  force: 'you requested it',
}

function resizeText(resize: JsonValue | undefined): string {
  const { type, turn, reason } = (resize ?? {}) as {
    readonly type?: JsonValue
    readonly turn?: JsonValue
    readonly reason?: JsonValue
  }
  if (typeof type !== 'string') return ''
  return `Last compacted after ${String(turn)} turns (${type}): ${reasons[String(reason)] ?? String(reason)}.`
}
