import type { LostData } from '../../contract/change.ts'
import type { SessionStore } from '../../contract/store/session-store.ts'
import { originFile } from '../files/origin-file.ts'
import type { OpeningAttempt } from '../opening/ladder.ts'

/** Of how many sessions it is remembered: those that were written to last are where the end of a database is. */
const remembered = 8
/** How often it is written down while a session is written to. It is written once more when the store is closed. */
const markMs = 250

/** When a session was made, and when its newest entry. */
type Ends = Readonly<Record<string, readonly [createdAt: number, updatedAt: number]>>

/** The last mark of each store that is still being written. */
const writing = new Map<string, Promise<void>>()

const tailKey = (name: string): string => `keepsession.tail:${name}`
const tailFile = (name: string) => originFile(name, 'tail')

/**
 * Remembers how far the sessions had come that were written to last. A browser that loses the end of a database goes on
 * with what is left as if nothing had been there: only a session that has gone back in time tells. One that is gone
 * tells nothing, as it may have been purged, nor does one that was made anew.
 *
 * It is kept in a file of the origin, and in Web Storage only where there are none: Chromium writes the Web Storage of
 * an origin down no more than 60 times an hour, one that is killed forgets the minute before.
 *
 * @param epoch - of the database that is open
 * @param report - gets what is known to be missing of it. Called once for each loss: the next start does not know of it
 *   any more
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
    // One after the other, so that the last one stays.
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
  // Heard from now on; marked once it is known what was there before.
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
  /** Of the same sessions, as far as they are now. */
  const known: Record<string, readonly [createdAt: number, updatedAt: number]> = {}
  for (const [key, [createdAt, updatedAt]] of Object.entries(before)) {
    // What can't be read now says so itself.
    const meta = await store.getMeta(key).catch(() => undefined)
    if (meta?.key !== key) continue
    if (meta.createdAt === createdAt && meta.updatedAt < updatedAt) behind.push(updatedAt)
    known[key] = [meta.createdAt, meta.updatedAt]
  }
  // Who has closed the store meanwhile hears nothing any more: the next start looks again.
  if (feed.ending.aborted) return
  // The list of sessions is not asked: its first reading would hold up whoever asks for it, in a store of thousands.
  ends = newest({ ...[...dropped, ...Object.keys(ends)].reduce(without, known), ...ends })
  isKnown = true
  if (behind.length > 0) report({ sessions: behind.length, updatedAt: behind.reduce((a, b) => Math.max(a, b)) })
  // Told once: from here on it is as it is.
  if (JSON.stringify(ends) !== JSON.stringify(before)) await mark()
}

/** Forgets a database that is deleted on purpose. */
export async function dropTail(name: string): Promise<void> {
  // What its last tab writes down now would come after it.
  await writing.get(name)
  await tailFile(name).remove()
  try {
    localStorage.removeItem(tailKey(name))
  } catch {
    // Nothing is there.
  }
}

/** Whether there is anything here that could keep a mark. */
function hasPlace(): boolean {
  try {
    return (
      (globalThis.navigator as Partial<Navigator> | undefined)?.storage?.getDirectory !== undefined ||
      (globalThis.localStorage as unknown) !== undefined
    )
  } catch {
    // Some pages have Web Storage that they may not use.
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
    // No page, or one that may keep nothing: then nobody knows.
  }
}

async function readEnds(name: string, epoch: string): Promise<Ends> {
  // One that was closed a moment ago in this page.
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
