import { SessionError } from '../contract/errors.ts'
import type { InterruptibleWork, WorkOptions } from '../contract/interruptible-work.ts'
import type { JobProgress, ReclaimReport, StoreRepairReport } from '../contract/job.ts'
import type { MirrorReport } from '../contract/mirror.ts'
import type { SessionStore } from '../contract/store/session-store.ts'
import type { SessionUsage, VerifyReport } from '../contract/store/store-upkeep.ts'
import { createProblemList } from './engine/upkeep/problem-list.ts'

export interface CheckOptions {
  /** Key or alias of the one session to check. Default: all. */
  readonly key?: string | undefined
  readonly signal?: AbortSignal | undefined
  readonly onProgress?: ((progress: JobProgress) => void) | undefined
  /**
   * Whether the store is behind a port, which no signal passes. Then the work goes session by session, and so do its
   * progress and its cancellation.
   */
  readonly isRemote?: boolean
}

export interface RepairOptions extends CheckOptions {
  /** Restores what the store lost from the mirror; resolves with `undefined` where there is none. */
  readonly takeBack?: () => Promise<MirrorReport | undefined>
}

type Place = Pick<SessionStore, 'usage' | 'checkRows'> & Pick<InterruptibleWork, 'verify' | 'repair'>

/** Checks session by session, and then all collections. @throws Aborted */
export async function verifyStore(store: Place, options: CheckOptions = {}): Promise<VerifyReport> {
  const problems = createProblemList()
  let [sessions, entries] = [0, 0]
  await eachSession(store, options, async (key, work) => {
    const report = await store.verify(key, work)
    sessions += report.sessions
    entries += report.entries
    problems.addReport(report)
    return report
  })
  if (options.key === undefined) problems.addReport(await store.checkRows())
  return { sessions, entries, ...problems.report() }
}

/** Repairs session by session, then all collections, and then restores from the mirror what was lost. @throws Aborted */
export async function repairStore(
  store: Place,
  { takeBack, ...options }: RepairOptions = {},
): Promise<StoreRepairReport> {
  const problems = createProblemList()
  let [sessions, entries, repaired] = [0, 0, 0]
  const found = new Map<string, { readonly repaired: number; readonly setAside: number }>()
  await eachSession(store, options, async (key, work) => {
    const report = await store.repair(key, work)
    sessions += report.sessions
    entries += report.entries
    repaired += report.repaired
    problems.addReport(report)
    if (report.problems.length > 0)
      found.set(key, {
        repaired: report.repaired,
        setAside: report.problems.filter(({ kind }) => kind === 'unreadable').length,
      })
    return report
  })
  if (options.key === undefined) {
    const rows = await store.checkRows({ repair: true })
    repaired += rows.repaired
    problems.addReport(rows)
  }
  const mirror = await takeBack?.()
  const outcomes: StoreRepairReport['outcomes'][number][] = []
  const work = options.isRemote === true ? undefined : { signal: options.signal }
  for (const key of new Set([...found.keys(), ...(mirror?.refilled ?? [])])) {
    const left = (await store.verify(key, work)).problems
    outcomes.push({
      key,
      ...(found.get(key) ?? { repaired: 0, setAside: 0 }),
      isRefilled: mirror?.refilled.includes(key) ?? false,
      left,
    })
  }
  return { sessions, entries, ...problems.report(), repaired, outcomes, ...(mirror === undefined ? {} : { mirror }) }
}

/**
 * Reclaims, session by session, the space of what nothing shows, and of blobs that nothing names. @throws Aborted
 */
export async function reclaimStore(
  store: Pick<SessionStore, 'usage'> & Pick<InterruptibleWork, 'reclaim'>,
  options: CheckOptions = {},
): Promise<ReclaimReport> {
  let [sessions, erased] = [0, 0]
  await eachSession(store, options, async (key, work) => {
    const count = await store.reclaim(key, undefined, work)
    sessions++
    erased += count
    return { entries: count, problems: [] }
  })
  // The reclaim of any key collects blobs, also of one that has no session.
  if (sessions === 0) await store.reclaim(options.key ?? 'none')
  return { sessions, erased }
}

async function eachSession(
  store: Pick<SessionStore, 'usage'>,
  { key, signal, onProgress, isRemote = false }: CheckOptions,
  look: (
    key: string,
    work: WorkOptions | undefined,
  ) => Promise<Pick<VerifyReport, 'entries' | 'problems' | 'unlisted'>>,
): Promise<void> {
  const { largest, unreadable } = await store.usage(key, { largest: Number.POSITIVE_INFINITY })
  const all: readonly Pick<SessionUsage, 'key' | 'bytes'>[] = [
    ...largest,
    ...unreadable.map((one) => ({ key: one, bytes: 0 })),
  ]
  const totalBytes = all.reduce((sum, { bytes }) => sum + bytes, 0)
  let progress: JobProgress = { readBytes: 0, totalBytes, entries: 0, skipped: 0 }
  for (const one of all) {
    if (signal?.aborted)
      throw new SessionError(
        'Aborted',
        `The work was cancelled after ${progress.entries} entries. The changes made by then remain.`,
      )
    const before = progress
    const within: WorkOptions = {
      signal,
      // The progress stays below the total until the result is there.
      onProgress: (part) =>
        onProgress?.({
          ...before,
          readBytes: before.readBytes + Math.floor((one.bytes * part.bytes) / (part.totalBytes + 1)),
          entries: before.entries + part.entries,
        }),
    }
    const { entries, problems, unlisted = 0 } = await look(one.key, isRemote ? undefined : within)
    progress = {
      readBytes: before.readBytes + one.bytes,
      totalBytes,
      entries: before.entries + entries,
      skipped: before.skipped + problems.length + unlisted,
    }
    onProgress?.(progress)
  }
}
