import type { LostData } from '../../contract/change.ts'
import type { SessionStore } from '../../contract/store/session-store.ts'
import { originFile } from '../files/origin-file.ts'
import type { OpeningAttempt } from '../opening/ladder.ts'

/** How many sessions are remembered: the end of a database has the sessions that were written last. */
const remembered = 8
/** The least time between two writes of the mark, which is written once more when the store is closed. */
const markMs = 250

/** When each session was created, and the time of its newest entry. */
type Ends = Readonly<Record<string, readonly [createdAt: number, updatedAt: number]>>

/** The last mark of each store that is still being written. */
const writing = new Map<string, Promise<void>>()

const tailKey = (name: string): string => `keepsession.tail:${name}`
const tailFile = (name: string) => originFile(name, 'tail')

/**
 * Remembers the newest entries of the sessions that were written last. When a browser loses the end of a database, it
 * silently continues with the rest: only a session that went back in time shows the loss. A session that is gone shows
 * nothing, because it may have been purged, nor does one that was created again.
 *
 * The mark is in a file of the origin, or in Web Storage if there are no such files: Chromium writes the Web Storage of
 * an origin at most 60 times an hour, and when it is killed the last minute is lost.
 *
 * @param epoch - epoch of the open database
 * @param report - receives what is known to be missing. Called once for each loss: the next start no longer knows of it
 */
export async function followTail(
  { name, feed }: Pick<OpeningAttempt, 'name' | 'feed'>,
  store: Pick<SessionStore, 'getMeta'>,
  epoch: string,
  report: (missing: LostData) => void,
): Promise<void> {
  if (!hasPlace()) return
  let ends: Ends = {}
  let dropped: readonly string[] = []
  let isBehind = false
  let isMarking = false
  let timer: ReturnType<typeof setTimeout> | undefined
  const mark = async (): Promise<void> => {
    clearTimeout(timer)
    timer = undefined
    isBehind = false
    isMarking = true
    const text = JSON.stringify({ epoch, ends })
    // Written in order, so that the last one stays.
    const done = Promise.resolve(writing.get(name)).then(() => keep(name, text))
    writing.set(name, done)
    await done
    if (writing.get(name) === done) writing.delete(name)
    isMarking = false
    if (isBehind && !feed.ending.aborted) later()
  }
  const later = (): void => {
    isBehind = true
    if (!isMarking) timer ??= setTimeout(mark, markMs)
  }
  // Changes are collected from now on, but written only after the previous mark was read.
  let isKnown = false
  feed.subscribe((change) => {
    if (change.type !== 'session') return
    const { createdAt, updatedAt } = change.listing ?? {}
    ends = without(ends, change.key)
    if (createdAt !== undefined && updatedAt !== undefined)
      ends = newest({ ...ends, [change.key]: [createdAt, updatedAt] })
    else if (!isKnown) dropped = [...dropped, change.key]
    if (isKnown) later()
  })
  feed.ending.addEventListener('abort', () => {
    clearTimeout(timer)
    if (isBehind) void mark()
  })

  const before = await readEnds(name, epoch)
  const behind: number[] = []
  /** The current values of the sessions in the previous mark. */
  const known: Record<string, readonly [createdAt: number, updatedAt: number]> = {}
  for (const [key, [createdAt, updatedAt]] of Object.entries(before)) {
    // Reading the session reports the error itself.
    const meta = await store.getMeta(key).catch(() => undefined)
    if (meta?.key !== key) continue
    if (meta.createdAt === createdAt && meta.updatedAt < updatedAt) behind.push(updatedAt)
    known[key] = [meta.createdAt, meta.updatedAt]
  }
  // If the store was closed meanwhile, nothing is reported: the next start checks again.
  if (feed.ending.aborted) return
  // This does not read the list of sessions: the first reading of a list of thousands would delay whoever requests it.
  ends = newest({ ...[...dropped, ...Object.keys(ends)].reduce(without, known), ...ends })
  isKnown = true
  if (behind.length > 0) report({ sessions: behind.length, updatedAt: behind.reduce((a, b) => Math.max(a, b)) })
  // A loss is reported only once: from now on the mark has the current values.
  if (JSON.stringify(ends) !== JSON.stringify(before)) await mark()
}

/** Removes the mark of a database that is deleted on purpose. */
export async function dropTail(name: string): Promise<void> {
  // A pending write of its last tab would restore the mark.
  await writing.get(name)
  await tailFile(name).remove()
  try {
    localStorage.removeItem(tailKey(name))
  } catch {
    // There is no mark.
  }
}

/** Whether this realm has storage for a mark. */
function hasPlace(): boolean {
  try {
    return (
      (globalThis.navigator as Partial<Navigator> | undefined)?.storage?.getDirectory !== undefined ||
      (globalThis.localStorage as unknown) !== undefined
    )
  } catch {
    // Some pages have Web Storage but are not allowed to use it.
    return false
  }
}

const without = (ends: Ends, key: string): Ends =>
  Object.fromEntries(Object.entries(ends).filter(([one]) => one !== key))
const newest = (ends: Ends): Ends => Object.fromEntries(Object.entries(ends).slice(-remembered))

async function keep(name: string, text: string): Promise<void> {
  if (await tailFile(name).write(text)) return
  try {
    localStorage.setItem(tailKey(name), text)
  } catch {
    // There is no page, or it is not allowed to store anything.
  }
}

async function readEnds(name: string, epoch: string): Promise<Ends> {
  // A store of this name may have been closed a moment ago in this page.
  await writing.get(name)
  try {
    const found = JSON.parse((await tailFile(name).read()) || (localStorage.getItem(tailKey(name)) ?? '')) as {
      readonly epoch?: unknown
      readonly ends?: Ends
    }
    return found.epoch === epoch
      ? Object.fromEntries(Object.entries(found.ends ?? {}).filter(([, end]) => Array.isArray(end)))
      : {}
  } catch {
    return {}
  }
}
