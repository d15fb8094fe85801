import { isSessionError } from '../../contract/errors.ts'
import type { PurgeOptions } from '../../contract/store/session-lifecycle.ts'
import type { SessionStore } from '../../contract/store/session-store.ts'
import type { SessionUsage } from '../../contract/store/store-upkeep.ts'
import type { TermOptions } from '../../contract/term.ts'
import { pushAll } from '../../domain/push-all.ts'
import { unlessInUse } from '../session/in-use.ts'
import { ownNames } from '../session/own-names.ts'
import { inGroups } from '../worker/in-groups.ts'
import { checkRetention } from './check-retention.ts'
import { pinnedTag, planRetention } from './plan-retention.ts'
import type { RetentionAction, RetentionPolicy, RetentionReport } from './retention-policy.ts'

type Writable<T> = { -readonly [field in keyof T]: T[field] extends readonly (infer Item)[] ? Item[] : T[field] }

export interface RetainOptions extends TermOptions {
  /** Name of the database. */
  readonly name: string
  readonly dryRun?: boolean
  readonly now?: () => number
  /** Ends the run between two sessions. */
  readonly signal?: AbortSignal
}

/** Number of sessions that are archived, deleted or purged at the same time. */
const doneAtOnce = 8

/**
 * Applies a policy once to all sessions. A session that fails is in the report; the others are still processed.
 *
 * @throws InvalidInput for a bad policy
 */
export async function retain(
  store: SessionStore,
  policy: RetentionPolicy,
  { name, dryRun = false, now = Date.now, signal, term }: RetainOptions,
): Promise<RetentionReport> {
  const { action } = checkRetention(policy)
  const { largest } = await store.usage(undefined, { largest: Number.POSITIVE_INFINITY })
  const { chosen, pinned } = planRetention(largest, policy, now())
  const report: Writable<RetentionReport> = {
    dryRun,
    isBusy: false,
    done: [],
    kept: pinned.map((key) => ({ key, reason: 'pinned' })),
    failed: [],
  }
  if (dryRun) {
    // At once, because ten thousand promises that wait for nothing would keep the page busy.
    report.done = chosen.map(({ session: { key, title, bytes }, reason }) => {
      const what = reason === 'deleted' ? 'purge' : typeof action === 'function' ? 'asked' : action!
      return { key, title, action: what, reason, bytes }
    })
    return report
  }
  const doOne = async ({
    session,
    reason,
  }: (typeof chosen)[number]): Promise<Partial<Pick<Writable<RetentionReport>, 'done' | 'kept' | 'failed'>>> => {
    const { key, title, bytes } = session
    const note = (what: RetentionAction | 'purge') => ({ done: [{ key, title, action: what, reason, bytes }] })
    try {
      // Called before the session is locked, because it may spend a long time on an export.
      const what = reason === 'deleted' ? 'purge' : typeof action === 'function' ? await action(session) : action!
      const outcome =
        what === 'keep' ? 'asked' : await actOn(store, name, session, what, term === undefined ? {} : { term })
      if (outcome === 'done') return note(what as RetentionAction)
      return outcome === 'nothing' ? {} : { kept: [{ key, reason: outcome }] }
    } catch (error) {
      // The new leader does the rest.
      if (isSessionError(error, 'NotLeader')) throw error
      return { failed: [{ key, message: error instanceof Error ? error.message : String(error) }] }
    }
  }
  // A function of the app may export the session, and only one session at a time is sure to fit into memory.
  for (const { done = [], kept = [], failed = [] } of await inGroups(
    chosen,
    typeof action === 'function' ? 1 : doneAtOnce,
    doOne,
    signal,
  )) {
    pushAll(report.done, done)
    pushAll(report.kept, kept)
    pushAll(report.failed, failed)
  }
  return report
}

type Outcome = 'done' | 'nothing' | 'in use' | 'changed' | 'pinned'

/** Applies the action, unless somebody uses the session or has changed it since it was chosen. */
async function actOn(
  store: SessionStore,
  name: string,
  { key, updatedAt, deletedAt }: SessionUsage,
  action: RetentionAction | 'purge',
  options: TermOptions,
): Promise<Outcome> {
  let outcome: Outcome = 'in use'
  await unlessInUse(name, await ownNames(store, key), async () => {
    const meta = await store.getMeta(key)
    if (meta?.key !== key || meta.updatedAt !== updatedAt || meta.deletedAt !== deletedAt)
      return void (outcome = 'changed')
    if (action !== 'purge' && meta.tags.includes(pinnedTag)) return void (outcome = 'pinned')
    if (action !== 'purge' && (await store.listDrafts(key)).length > 0) return
    outcome = await act(store, key, action, deletedAt === undefined ? options : { ...options, deletedAt }).catch(
      (error: unknown) => {
        // It was undeleted between the check and the purge.
        if (isSessionError(error, 'ParentMoved')) return 'changed'
        throw error
      },
    )
  })
  return outcome
}

async function act(store: SessionStore, key: string, action: unknown, options: PurgeOptions): Promise<Outcome> {
  if (action === 'purge') await store.purge(key, options)
  else if (action === 'delete') await store.delete(key, options)
  else if (action === 'archive') await store.updateMeta(key, { archived: true }, options)
  else if (action === 'compact') return (await store.reclaim(key, options)) > 0 ? 'done' : 'nothing'
  else
    throw new TypeError(
      `The action of a retention policy must return "archive", "compact", "delete" or "keep", got ${String(action)}.`,
    )
  return 'done'
}
