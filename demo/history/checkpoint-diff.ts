import type { CheckpointDiff, CheckpointInfo, Message, SessionClient } from '../../src/index.ts'
import { messagePreview, speakerOf } from '../chat/message-preview.ts'
import { h } from '../ui/dom.ts'
import { counted, shortened, shortTime } from '../ui/format.ts'
import { messageOf } from '../ui/toasts.ts'
import { checkpointName } from './checkpoint-row.ts'

const listed = 100

/** What became of a conversation from one checkpoint to another, or to now. */
export function checkpointDiff(
  client: SessionClient,
  key: string,
  from: CheckpointInfo,
  all: readonly CheckpointInfo[],
): HTMLElement {
  const others = all.filter(({ id }) => id !== from.id).toReversed()
  const choice = h(
    'select',
    { 'data-testid': 'diff-with', onchange: () => void compare() },
    h('option', { value: '' }, 'the current messages'),
    ...others.map((one) => h('option', { value: one.id }, `${checkpointName(one)}, ${shortTime(one.createdAt)}`)),
  )
  const outcome = h('div', { class: 'diff-outcome', role: 'status', 'data-testid': 'diff' })
  let asked = 0

  async function compare(): Promise<void> {
    const turn = ++asked
    outcome.replaceChildren(h('p', { class: 'hint' }, 'Comparing…'))
    try {
      const diff = await (await client.session(key)).checkpoints.diff(
        from.id,
        choice.value === '' ? undefined : choice.value,
      )
      if (turn === asked) outcome.replaceChildren(...diffRows(diff))
    } catch (error) {
      if (turn === asked)
        outcome.replaceChildren(h('p', { class: 'hint' }, `The comparison failed: ${messageOf(error)}`))
    }
  }

  void compare()
  return h(
    'div',
    { class: 'checkpoint-diff', 'data-of': from.id },
    h('label', { class: 'diff-with' }, 'Compare with', choice),
    outcome,
  )
}

function diffRows({ added, removed, edited }: CheckpointDiff): readonly HTMLElement[] {
  const rows = [
    ...removed.map(({ message }) => row('removed', '−', message)),
    ...edited.map(({ after }) => row('edited', '~', after)),
    ...added.map(({ message }) => row('added', '+', message)),
  ]
  if (rows.length === 0) return [h('p', { class: 'hint' }, 'No differences.')]
  const sums = [
    added.length > 0 && `${counted(added.length, 'message')} added`,
    removed.length > 0 && `${removed.length.toLocaleString()} removed`,
    edited.length > 0 && `${edited.length.toLocaleString()} edited`,
  ]
  const rest = rows.length - listed
  return [
    h('p', { class: 'diff-sum' }, sums.filter(Boolean).join(', ')),
    h(
      'ul',
      { class: 'diff-rows' },
      ...rows.slice(0, listed),
      rest > 0 && h('li', { class: 'hint' }, `and ${rest.toLocaleString()} more`),
    ),
  ]
}

const words = { added: 'Added', removed: 'Removed', edited: 'Edited' } as const

const row = (kind: keyof typeof words, sign: string, message: Message): HTMLElement =>
  h(
    'li',
    { class: 'diff-row', 'data-kind': kind },
    h('span', { class: 'diff-sign', 'aria-hidden': 'true' }, sign),
    h('span', { class: 'visually-hidden' }, `${words[kind]}: `),
    h('span', { class: 'tree-role' }, speakerOf(message.role)),
    h('span', { class: 'diff-words' }, shortened(messagePreview(message), 200)),
  )
