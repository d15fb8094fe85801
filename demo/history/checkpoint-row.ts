import type { CheckpointInfo } from '../../src/index.ts'
import { h } from '../ui/dom.ts'
import { counted, longTime, shortTime } from '../ui/format.ts'
import { iconButton } from '../ui/icon-button.ts'
import { icon } from '../ui/icons.ts'

/** What is known of the messages that checkpoints stand for. */
export type CheckpointState = 'checking' | 'whole' | 'damaged' | 'unknown'

export interface CheckpointRowActions {
  restore(checkpoint: CheckpointInfo): void
  compare(checkpoint: CheckpointInfo): void
  remove(checkpoint: CheckpointInfo): void
}

export const checkpointName = ({ label, metadata }: CheckpointInfo): string =>
  label ?? (metadata?.['auto'] === true ? 'Automatic checkpoint' : 'Checkpoint')

/** A checkpoint as a stop of the timeline. */
export function checkpointRow(
  checkpoint: CheckpointInfo,
  state: CheckpointState,
  isCompared: boolean,
  actions: CheckpointRowActions,
): HTMLElement {
  const { id, createdAt, messages, metadata } = checkpoint
  const name = checkpointName(checkpoint)
  return h(
    'li',
    {
      class: 'checkpoint',
      'data-testid': 'checkpoint',
      'data-id': id,
      'data-auto': String(metadata?.['auto'] === true),
    },
    h(
      'div',
      { class: 'checkpoint-words' },
      h('h3', {}, name),
      h(
        'p',
        { class: 'checkpoint-info' },
        h('time', { datetime: new Date(createdAt).toISOString(), title: longTime(createdAt) }, shortTime(createdAt)),
        messages !== undefined && ` · ${counted(messages, 'message')}`,
        mark(state),
      ),
    ),
    h(
      'div',
      { class: 'checkpoint-actions' },
      h(
        'button',
        {
          type: 'button',
          class: 'button',
          'data-testid': 'checkpoint-restore',
          'aria-label': `Restore “${name}”`,
          disabled: state === 'damaged',
          onclick: () => actions.restore(checkpoint),
        },
        'Restore',
      ),
      h(
        'button',
        {
          type: 'button',
          class: 'button',
          'data-testid': 'checkpoint-compare',
          'aria-expanded': String(isCompared),
          'aria-label': `Compare “${name}”`,
          onclick: () => actions.compare(checkpoint),
        },
        'Compare',
      ),
      iconButton('trash', `Delete “${name}”`, {
        'data-testid': 'checkpoint-delete',
        onclick: () => actions.remove(checkpoint),
      }),
    ),
  )
}

function mark(state: CheckpointState): HTMLElement | undefined {
  if (state === 'unknown') return undefined
  const [sign, text, title] = marks[state]
  return h(
    'span',
    { class: 'checkpoint-mark', 'data-testid': 'checkpoint-mark', 'data-state': state, title },
    sign && icon(sign),
    text,
  )
}

const marks = {
  checking: [undefined, 'checking…', 'Its messages are being compared with their checksums.'],
  whole: ['check', 'verified', 'All of its messages are present and unchanged.'],
  damaged: ['alert', 'damaged', 'A message of this conversation is missing or was changed.'],
} as const
