import type { Session } from '../../../client/session-contract.ts'
import { isSessionError, SessionError } from '../../../contract/errors.ts'
import type { AutoSaveSettings } from './manager-types.ts'
import { readInterval } from './read-interval.ts'
import type { WriteListener } from './write-feed.ts'

/** The longest delay that a timer supports. */
const longest = 2 ** 31 - 1

/** Creates the automatic checkpoints of one session. */
export interface AutoSave {
  /** Must be called for each write. */
  readonly onWrite: WriteListener
  /** Creates a checkpoint of the writes that have none yet. */
  save(): Promise<void>
}

/** @throws InvalidInput for settings that make no sense */
export function checkAutoSave({ interval, everyTurns = 1, keep = 1 }: AutoSaveSettings): void {
  readInterval(interval)
  for (const [name, value] of Object.entries({ everyTurns, keep })) {
    if (!Number.isSafeInteger(value) || value < 1)
      throw new SessionError(
        'InvalidInput',
        `checkpoint.${name} must be a whole number from 1 up, got ${String(value)}.`,
      )
  }
}

/**
 * Creates checkpoints of a session automatically: after a number of answers, and at the latest some time after the
 * first write that no checkpoint covers. They run in the background. A checkpoint that fails is retried with the next
 * one; the messages themselves are stored in any case.
 */
export function autoSave(
  { store, key }: Session,
  { interval, everyTurns = Infinity, keep = 10 }: AutoSaveSettings,
): AutoSave {
  const wait = readInterval(interval)
  let unsaved: { readonly at: number; readonly isAppend: boolean } | undefined
  let turns = 0
  let timer: ReturnType<typeof setTimeout> | undefined
  let saving = Promise.resolve()

  const settle = (): void => {
    clearTimeout(timer)
    timer = undefined
    unsaved = undefined
    turns = 0
  }
  const save = (): Promise<void> => (saving = saving.then(saveOnce))
  const saveOnce = async (): Promise<void> => {
    const writes = unsaved
    settle()
    if (writes === undefined) return
    await saveUnlessSaved(writes).catch(() => note(writes))
  }
  const saveUnlessSaved = async ({ at, isAppend }: NonNullable<typeof unsaved>): Promise<void> => {
    const [{ entries, branch, version }, checkpoints] = await Promise.all([
      store.read(key, { last: 1, view: 'raw' }),
      store.listCheckpoints(key),
    ])
    // Another tab may have saved the same already. Appended entries show in the position, an edit only in the time.
    const last = checkpoints.at(-1)
    const isSaved =
      last?.branch === branch && last.order === (entries[0]?.order ?? '') && (isAppend || last.createdAt > at)
    if (isSaved) return
    // With the operation id, a tab that doesn't see the other tab's checkpoint yet gets that one instead of a second
    // one.
    await store.checkpoint(key, { metadata: { auto: true }, operationId: `auto-save:${version}`, onDeleted: 'refuse' })
    const own = (await store.listCheckpoints(key)).filter(({ metadata }) => metadata?.['auto'] === true)
    for (const { id } of own.slice(0, -keep)) await store.deleteCheckpoint(key, id).catch(unlessGone)
  }
  const note = ({ at, isAppend }: NonNullable<typeof unsaved>): void => {
    unsaved = { at: Math.max(at, unsaved?.at ?? 0), isAppend: isAppend && unsaved?.isAppend !== false }
  }

  return {
    onWrite: (write) => {
      if (write === undefined) return settle()
      note({ at: Date.now(), isAppend: write.isAppend })
      turns += write.answers
      if (turns >= everyTurns) void save()
      else if (wait > 0) timer ??= setTimeout(save, Math.min(wait, longest))
    },
    save,
  }
}

/** Another tab has deleted it already. */
function unlessGone(error: unknown): void {
  if (!isSessionError(error, 'CheckpointNotFound')) throw error
}
