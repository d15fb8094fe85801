import { SessionError } from '../contract/errors.ts'
import type { JobProgress, StoreRepairReport } from '../contract/job.ts'
import type { MirrorReport } from '../contract/mirror.ts'
import type { SessionStore, SessionUsage, VerifyProblem, VerifyReport } from '../contract/store.ts'

export interface CheckOptions {
  /** Key or alias of the one session to look at. Default: all. */
  readonly key?: string | undefined
  readonly signal?: AbortSignal | undefined
  readonly onProgress?: (progress: JobProgress) => void
}

export interface MendOptions extends CheckOptions {
  /** Puts back what the mirror has and the store has lost; gives `undefined` where there is none. */
  readonly takeBack?: () => Promise<MirrorReport | undefined>
}

type Place = Pick<SessionStore, 'verify' | 'repair' | 'usage'>

/** Checks session by session, so that one is in memory at a time. @throws Aborted */
export async function verifyStore(store: Place, options: CheckOptions = {}): Promise<VerifyReport> {
  const problems: VerifyProblem[] = []
  let sessions = 0
  let entries = 0
  await eachSession(store, options, async (key) => {
    const report = await store.verify(key)
    sessions += report.sessions
    entries += report.entries
    for (const problem of report.problems) problems.push(problem)
    return report
  })
  return { sessions, entries, problems }
}

/** Mends what can be mended, session by session; then takes back from the mirror what was lost. @throws Aborted */
export async function repairStore(store: Place, { takeBack, ...options }: MendOptions = {}): Promise<StoreRepairReport> {
  const problems: VerifyProblem[] = []
  let [sessions, entries, repaired] = [0, 0, 0]
  const mended = new Map<string, number>()
  await eachSession(store, options, async (key) => {
    const report = await store.repair(key)
    sessions += report.sessions
    entries += report.entries
    repaired += report.repaired
    for (const problem of report.problems) problems.push(problem)
    if (report.problems.length > 0) mended.set(key, report.repaired)
    return report
  })
  const mirror = await takeBack?.()
  const outcomes: StoreRepairReport['outcomes'][number][] = []
  for (const key of new Set([...mended.keys(), ...(mirror?.refilled ?? [])])) {
    const found = problems.filter((problem) => problem.key === key)
    const left = (await store.verify(key)).problems
    outcomes.push({ key, repaired: mended.get(key) ?? 0, setAside: found.filter(({ kind }) => kind === 'unreadable').length, isRefilled: mirror?.refilled.includes(key) ?? false, left })
  }
  return { sessions, entries, problems, repaired, outcomes, ...(mirror === undefined ? {} : { mirror }) }
}

async function eachSession(store: Place, { key, signal, onProgress }: CheckOptions, look: (key: string) => Promise<VerifyReport>): Promise<void> {
  const { largest, unreadable } = await store.usage(key, { largest: Number.POSITIVE_INFINITY })
  const all: readonly Pick<SessionUsage, 'key' | 'bytes'>[] = [...largest, ...unreadable.map((one) => ({ key: one, bytes: 0 }))]
  const totalBytes = all.reduce((sum, { bytes }) => sum + bytes, 0)
  let progress: JobProgress = { readBytes: 0, totalBytes, entries: 0, skipped: 0 }
  for (const one of all) {
    if (signal?.aborted) throw new SessionError('Aborted', `The check was cancelled after ${progress.entries} entries. What was mended by then stays so.`)
    const { entries, problems } = await look(one.key)
    progress = { readBytes: progress.readBytes + one.bytes, totalBytes, entries: progress.entries + entries, skipped: progress.skipped + problems.length }
    onProgress?.(progress)
  }
}
