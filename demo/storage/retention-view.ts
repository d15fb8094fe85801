import type { RetentionPolicy, RetentionReport, SessionClient } from '../../src/index.ts'
import type { RetentionAction } from '../../src/types.ts'
import { h } from '../ui/dom.ts'
import { counted } from '../ui/format.ts'
import { labelled } from '../ui/panel.ts'
import { messageOf } from '../ui/toasts.ts'

const dayMs = 86_400_000

const did: Readonly<Record<RetentionReport['done'][number]['action'], string>> = {
  archive: 'archived',
  compact: 'compacted',
  delete: 'deleted',
  purge: 'erased',
  asked: 'asked about',
}

const reasons: Readonly<Record<RetentionReport['done'][number]['reason'], string>> = {
  age: 'unused for too long',
  sessions: 'too many conversations',
  bytes: 'too much data',
  deleted: 'deleted long enough ago',
}

/** Limits for what is kept: first what would be done, then the same in earnest. */
export function createRetentionView(client: SessionClient, onDone: () => void): HTMLElement {
  const most = h('input', {
    type: 'number',
    min: 0,
    step: 1,
    inputmode: 'numeric',
    placeholder: 'No limit',
    'data-testid': 'keep-sessions',
  })
  const days = h('input', { type: 'number', min: 1, step: 1, inputmode: 'numeric', placeholder: 'No limit' })
  const erase = h('input', { type: 'number', min: 0, step: 1, inputmode: 'numeric', placeholder: 'Never' })
  const action = h(
    'select',
    {},
    ...(['archive', 'compact', 'delete'] as const).map((one) => h('option', { value: one }, actions[one])),
  )
  const outcome = h('div', { role: 'status', 'data-testid': 'retention-outcome' })
  const run = h(
    'button',
    {
      type: 'button',
      class: 'button primary',
      disabled: true,
      'data-testid': 'retention-run',
      onclick: () => void retain(false),
    },
    'Apply',
  )
  const form = h(
    'form',
    {
      class: 'panel-form',
      // What was looked at was of other limits.
      oninput: () => ((run.disabled = true), outcome.replaceChildren()),
      onsubmit: (event) => (event.preventDefault(), void retain(true)),
    },
    h(
      'div',
      { class: 'panel-fields' },
      labelled('Keep at most (conversations)', most),
      labelled('Keep if used within (days)', days),
      labelled('For all others', action),
      labelled('Erase deleted ones after (days)', erase),
    ),
    outcome,
    h(
      'div',
      { class: 'panel-buttons' },
      h('button', { type: 'submit', class: 'button', 'data-testid': 'retention-look' }, 'Preview'),
      run,
    ),
  )

  function policy(): RetentionPolicy {
    const limits = {
      ...(most.value !== '' && { maxSessions: Number(most.value) }),
      ...(days.value !== '' && { maxAgeMs: Number(days.value) * dayMs }),
    }
    return {
      ...limits,
      ...(Object.keys(limits).length > 0 && { action: action.value as RetentionAction }),
      ...(erase.value !== '' && { purgeDeletedAfterMs: Number(erase.value) * dayMs }),
    }
  }

  async function retain(dryRun: boolean): Promise<void> {
    run.disabled = true
    try {
      const report = await client.upkeep.retain(policy(), { dryRun })
      outcome.replaceChildren(...reportLines(report))
      run.disabled = !dryRun || report.done.length === 0
      if (!dryRun) onDone()
    } catch (error) {
      outcome.replaceChildren(h('p', { class: 'sync-warning' }, messageOf(error)))
    }
  }

  return form
}

const actions: Readonly<Record<RetentionAction, string>> = {
  archive: 'Archive',
  compact: 'Keep, without hidden data',
  delete: 'Delete (can be restored)',
}

function reportLines({ dryRun, isBusy, done, kept, failed }: RetentionReport): readonly HTMLElement[] {
  if (isBusy) return [h('p', {}, 'Another tab is applying limits, so nothing was done here.')]
  const lines = [
    ...done.map(
      ({ title, action, reason }) =>
        `“${title || 'New conversation'}” ${dryRun ? 'would be' : 'was'} ${did[action]} (${reasons[reason]})`,
    ),
    ...failed.map(({ key, message }) => `${key}: ${message}`),
  ]
  const rest =
    kept.length > 0 ? ` Kept beyond the limits, because pinned or in use: ${counted(kept.length, 'conversation')}.` : ''
  return [
    h(
      'p',
      {},
      `${done.length === 0 ? 'Everything is within these limits.' : `${counted(done.length, 'conversation')} ${dryRun ? 'would change' : 'changed'}.`}${rest}`,
    ),
    h('ul', { class: 'panel-list' }, ...lines.map((line) => h('li', {}, line))),
  ]
}
