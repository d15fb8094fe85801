import type { CheckpointDiff, DiffMessage } from '../contract/checkpoint-diff.ts'
import type { Entry } from '../contract/entry.ts'
import { SessionError } from '../contract/errors.ts'
import type { Message } from '../contract/message.ts'
import type { CheckpointInfo } from '../contract/meta.ts'
import type { SessionStore } from '../contract/store/session-store.ts'
import { entryId } from '../domain/address.ts'
import { type FoldedEntry, foldInSteps, foldView, type SessionFold } from '../domain/fold.ts'
import { covers } from '../domain/version-vector.ts'
import { inBreaths } from '../pacing/breather.ts'
import { breatheUntil } from './breathe-until.ts'
import { type ReadLogOptions, readLog } from './read-log.ts'

/**
 * Compares what two checkpoints of a session show, each as the session was at that time: later edits and removals do
 * not count. Without a second one, the first is compared with what the head line shows now. Entries that were erased
 * since are in neither. Reads the whole log.
 *
 * @throws CheckpointNotFound when the session has no such checkpoint; Aborted
 */
export async function diffCheckpoints(
  store: SessionStore,
  key: string,
  from: string,
  to?: string,
  options?: ReadLogOptions,
): Promise<CheckpointDiff> {
  const checkpoints = await store.listCheckpoints(key)
  const find = (id: string): CheckpointInfo => {
    const found = checkpoints.find((checkpoint) => checkpoint.id === id)
    if (found === undefined)
      throw new SessionError(
        'CheckpointNotFound',
        `Session "${key}" has no checkpoint "${id}". checkpoints.list() returns the existing ones.`,
      )
    return found
  }
  const a = find(from)
  const b = to === undefined ? undefined : find(to)
  const log = await readLog(store, key, options)
  const breathe = breatheUntil(options?.signal, 'Comparing checkpoints')
  const fold = (known: readonly Entry[]): Promise<SessionFold> => inBreaths(foldInSteps(known), breathe)
  /** The messages on a checkpoint's line, as far as they were known at that time. */
  const shownAt = async ({ branch, vv }: CheckpointInfo): Promise<ReadonlyMap<string, FoldedEntry>> =>
    messagesOf(await fold(log.filter(({ w, s }) => covers(vv, w, s))), branch)
  const shownNow = async (): Promise<ReadonlyMap<string, FoldedEntry>> => {
    const now = await fold(log)
    return messagesOf(now, now.head)
  }
  const before = await shownAt(a)
  const after = b === undefined ? await shownNow() : await shownAt(b)
  const edited = [...after].flatMap(([id, row]) => {
    const old = before.get(id)
    return old === undefined || old.edit?.id === row.edit?.id
      ? []
      : [{ id, before: messageOf(old), after: messageOf(row) }]
  })
  return { added: without(after, before), removed: without(before, after), edited }
}

function messagesOf(fold: SessionFold, branch: string): ReadonlyMap<string, FoldedEntry> {
  const messages = foldView(fold, branch, 'transcript').filter(({ type }) => type === 'message')
  return new Map(messages.map((row) => [entryId(row.w, row.s), row]))
}

const messageOf = ({ data, edit }: FoldedEntry): Message => (edit?.value ?? data)['message'] as unknown as Message

function without(
  rows: ReadonlyMap<string, FoldedEntry>,
  others: ReadonlyMap<string, FoldedEntry>,
): readonly DiffMessage[] {
  return [...rows].flatMap(([id, row]) => (others.has(id) ? [] : [{ id, message: messageOf(row) }]))
}
