import type { CheckpointInfo, Session, SessionClient } from '../../src/index.ts'
import { h } from '../ui/dom.ts'
import { iconButton } from '../ui/icon-button.ts'
import { lookAgain } from '../ui/look-again.ts'
import { messageOf, type Toasts } from '../ui/toasts.ts'
import { type AutoSave, everyTurns } from './auto-save.ts'
import { checkpointDiff } from './checkpoint-diff.ts'
import { type CheckpointState, checkpointRow } from './checkpoint-row.ts'
import { restoreCheckpoint } from './restore-checkpoint.ts'

export interface CheckpointPanelOptions {
  readonly client: SessionClient
  readonly toasts: Toasts
  readonly autoSave: AutoSave
}

export interface CheckpointPanel {
  readonly element: HTMLDialogElement
  /** Follows another session from now on. */
  follow(session: Session): void
  open(): void
}

/** The checkpoints of a conversation, newest first: make one, go back to one, compare, delete. */
export function createCheckpointPanel({ client, toasts, autoSave }: CheckpointPanelOptions): CheckpointPanel {
  const list = h('ol', { class: 'checkpoints', 'aria-label': 'Checkpoints, newest first' })
  const empty = h(
    'p',
    { class: 'checkpoints-empty', hidden: true },
    'No checkpoints yet. A checkpoint records exactly what is shown now, so that you can return to it later.',
  )
  const label = h('input', {
    type: 'text',
    class: 'checkpoint-label',
    maxlength: 200,
    placeholder: 'Name (optional)',
    'aria-label': 'Checkpoint name',
    'data-testid': 'checkpoint-label',
    autocomplete: 'off',
  })
  const byItself = h('input', {
    type: 'checkbox',
    'data-testid': 'auto-save',
    onchange: () => autoSave.set(byItself.checked),
  })
  const problem = h('p', { class: 'checkpoints-problem', role: 'status', 'data-testid': 'checkpoint-problem' })
  const element = h(
    'dialog',
    {
      class: 'dialog panel checkpoint-panel',
      'aria-labelledby': 'checkpoints-title',
      'data-testid': 'checkpoint-panel',
    },
    h(
      'header',
      {},
      h('h2', { id: 'checkpoints-title' }, 'Checkpoints'),
      iconButton('close', 'Close', { onclick: () => element.close() }),
    ),
    h(
      'div',
      { class: 'checkpoint-body' },
      h(
        'form',
        { class: 'checkpoint-form', onsubmit: (event) => (event.preventDefault(), void make()) },
        label,
        h('button', { type: 'submit', class: 'button primary', 'data-testid': 'checkpoint-make' }, 'Create checkpoint'),
      ),
      h(
        'label',
        { class: 'settings-check' },
        byItself,
        `Also create one automatically, after every ${everyTurns} replies or 5 minutes`,
      ),
      problem,
      empty,
      list,
    ),
    h(
      'footer',
      {},
      h('p', { class: 'hint' }, 'Restoring switches to a new branch. Later messages stay on the branch you leave.'),
    ),
  )
  let session: Session | undefined
  let checkpoints: readonly CheckpointInfo[] = []
  let state: CheckpointState = 'unknown'
  let compared: string | undefined
  /** Rows and comparisons stay while they show the same, so that they keep their focus. */
  let shownContent = ''
  let looks = 0

  async function refresh(): Promise<void> {
    callOff()
    const look = ++looks
    try {
      const read = (await session?.checkpoints.list()) ?? []
      if (look !== looks) return
      const isNew = read.some(({ id }) => !checkpoints.some((known) => known.id === id))
      checkpoints = read
      render()
      if (isNew) await verify()
    } catch (error) {
      if (look === looks) problem.textContent = `The checkpoints could not be read: ${messageOf(error)}`
    }
  }

  function render(): void {
    const content = JSON.stringify([checkpoints, state, compared])
    empty.hidden = checkpoints.length > 0
    if (content === shownContent) return
    shownContent = content
    const focused = document.activeElement
    const hadFocus = list.contains(focused)
      ? [focused?.closest<HTMLElement>('.checkpoint')?.dataset['id'], (focused as HTMLElement).dataset['testid']]
      : undefined
    const open = list.querySelector<HTMLElement>('.checkpoint-diff')
    list.replaceChildren(...checkpoints.toReversed().map((one) => row(one, open)))
    if (hadFocus !== undefined)
      list
        .querySelector<HTMLElement>(`[data-id="${CSS.escape(hadFocus[0] ?? '')}"] [data-testid="${hadFocus[1] ?? ''}"]`)
        ?.focus()
  }

  function row(checkpoint: CheckpointInfo, open: HTMLElement | null): HTMLElement {
    const isCompared = checkpoint.id === compared
    const element = checkpointRow(checkpoint, state, isCompared, {
      restore: (one) => void restore(one),
      compare,
      remove: (one) => void remove(one),
    })
    if (isCompared && session !== undefined)
      element.append(
        open?.dataset['of'] === checkpoint.id ? open : checkpointDiff(client, session.key, checkpoint, checkpoints),
      )
    return element
  }

  /** Holds every message of the conversation against its checksum: a checkpoint has nothing but messages of it. */
  async function verify(): Promise<void> {
    const checked = session
    if (checked === undefined || checkpoints.length === 0) return
    state = 'checking'
    render()
    try {
      const { problems } = await client.store.verify(checked.key)
      if (session !== checked) return
      state = problems.length === 0 ? 'whole' : 'damaged'
      problem.textContent = problems[0]?.message ?? ''
    } catch (error) {
      if (session !== checked) return
      state = 'unknown'
      problem.textContent = `The checkpoints could not be verified: ${messageOf(error)}`
    }
    render()
  }

  async function make(): Promise<void> {
    if (session === undefined) return
    const text = label.value.trim()
    try {
      await session.checkpoints.create(text === '' ? {} : { label: text })
      label.value = ''
      await refresh()
    } catch (error) {
      toasts.fail('The checkpoint could not be created', error)
    }
  }

  async function restore(checkpoint: CheckpointInfo): Promise<void> {
    if (session === undefined) return
    // Closed first, so that what is said of it stands where the conversation is.
    element.close()
    await restoreCheckpoint(client, toasts, session, checkpoint)
  }

  function compare({ id }: CheckpointInfo): void {
    compared = compared === id ? undefined : id
    render()
  }

  async function remove({ id }: CheckpointInfo): Promise<void> {
    try {
      await session?.checkpoints.delete(id)
      await refresh()
      label.focus()
    } catch (error) {
      toasts.fail('The checkpoint could not be deleted', error)
    }
  }

  const callOff = lookAgain(client, (key) => element.open && key === session?.key, refresh)

  return {
    element,
    follow(next) {
      session = next
      checkpoints = []
      state = 'unknown'
      compared = undefined
      problem.textContent = ''
      if (element.open) void refresh()
    },
    open() {
      byItself.checked = autoSave.isOn()
      compared = undefined
      problem.textContent = ''
      element.showModal()
      checkpoints = []
      void refresh()
    },
  }
}
