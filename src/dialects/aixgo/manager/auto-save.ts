import type { Session } from '../../../client/session-contract.ts'
import { isSessionError, SessionError } from '../../../contract/errors.ts'
import type { AutoSaveSettings } from './manager-types.ts'
import { readInterval } from './read-interval.ts'
import type { WriteListener } from './write-feed.ts'

/** The longest a timer can be. */
const longest = 2 ** 31 - 1

/** What makes checkpoints of a session. */
export interface AutoSave {
  /** Hears of each write. */
  readonly hear: WriteListener
  /** Saves what has no checkpoint yet. */
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
 * Makes checkpoints of a session by itself: after so many answers, and at the latest some time after the first write
 * that has none. Nobody waits for them. One that fails is tried again with the next; the messages themselves are stored
 * all the same.
 */
export function autoSave(session: Session, { interval, everyTurns = Infinity, keep = 10 }: AutoSaveSettings): AutoSave {
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
      session.page({ last: 1, view: 'raw' }),
      session.checkpoints.list(),
    ])
    // Somebody else may have saved the same already: what was appended shows in the place, an edit only in the time.
    const last = checkpoints.at(-1)
    const isSaved =
      last?.branch === branch && last.order === (entries[0]?.order ?? '') && (isAppend || last.createdAt > at)
    if (isSaved) return
    // A tab that has not heard of the other one's yet gets that one.
    await session.checkpoints.create({ metadata: { auto: true }, operationId: `auto-save:${version}` })
    const own = (await session.checkpoints.list()).filter(({ metadata }) => metadata?.['auto'] === true)
    for (const { id } of own.slice(0, -keep)) await session.checkpoints.delete(id).catch(unlessGone)
  }
  const note = ({ at, isAppend }: NonNullable<typeof unsaved>): void => {
    unsaved = { at: Math.max(at, unsaved?.at ?? 0), isAppend: isAppend && unsaved?.isAppend !== false }
  }

  return {
    hear: (write) => {
      if (write === undefined) return settle()
      note({ at: Date.now(), isAppend: write.isAppend })
      turns += write.answers
      if (turns >= everyTurns) void save()
      else if (wait > 0) timer ??= setTimeout(save, Math.min(wait, longest))
    },
    save,
  }
}

/** Another tab was faster. */
function unlessGone(error: unknown): void {
  if (!isSessionError(error, 'CheckpointNotFound')) throw error
}
