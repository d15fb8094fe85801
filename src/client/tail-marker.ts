import type { SessionStore } from '../contract/store.ts'
import type { LostData } from '../contract/change.ts'
import type { OpeningAttempt } from './ladder.ts'

/** Of how many sessions it is remembered: those that were written to last are where the end of a database is. */
const remembered = 8
/** How often it is written down while a session is written to, and when the store is closed. */
const markMs = 250

/** When a session was made, and when its newest entry. */
type Ends = Readonly<Record<string, readonly [createdAt: number, updatedAt: number]>>

const tailKey = (name: string): string => `keepsession.tail:${name}`

/**
 * Remembers in the page's Web Storage how far the sessions had come that were written to last. A browser that loses the end of a database goes on
 * with what is left as if nothing had been there: only a session that has gone back in time tells. One that is gone tells nothing, as it may
 * have been purged, nor does one that was made anew.
 *
 * @param epoch - of the database that is open
 * @returns what is known to be missing of it
 */
export async function followTail({ name, feed }: Pick<OpeningAttempt, 'name' | 'feed'>, store: Pick<SessionStore, 'getMeta'>, epoch: string): Promise<LostData | undefined> {
  const before = readEnds(name, epoch)
  let ends = before
  let timer: ReturnType<typeof setTimeout> | undefined
  const mark = (): void => {
    clearTimeout(timer)
    timer = undefined
    try {
      localStorage.setItem(tailKey(name), JSON.stringify({ epoch, ends }))
    } catch {
      // No page, or one that may keep nothing: then nobody knows.
    }
  }
  feed.subscribe((change) => {
    if (change.type !== 'session') return
    const { [change.key]: _, ...others } = ends
    const { createdAt, updatedAt } = change.listing ?? {}
    ends = createdAt === undefined || updatedAt === undefined ? others : Object.fromEntries([...Object.entries(others), [change.key, [createdAt, updatedAt]] as const].slice(-remembered))
    timer ??= setTimeout(mark, markMs)
  })
  feed.ending.addEventListener('abort', () => timer !== undefined && mark())

  const behind: number[] = []
  for (const [key, [createdAt, updatedAt]] of Object.entries(before)) {
    // What can't be read now says so itself.
    const meta = await store.getMeta(key).catch(() => undefined)
    if (meta?.key === key && meta.createdAt === createdAt && meta.updatedAt < updatedAt) behind.push(updatedAt)
    // Told once: from here on it is as it is.
    const known = meta?.key === key ? ([meta.createdAt, meta.updatedAt] as const) : undefined
    if (ends[key] === before[key]) ends = known === undefined ? Object.fromEntries(Object.entries(ends).filter(([one]) => one !== key)) : { ...ends, [key]: known }
  }
  if (behind.length === 0) return undefined
  mark()
  return { sessions: behind.length, updatedAt: Math.max(...behind) }
}

/** Forgets a database that is deleted on purpose. */
export function dropTail(name: string): void {
  try {
    localStorage.removeItem(tailKey(name))
  } catch {
    // Nothing is there.
  }
}

function readEnds(name: string, epoch: string): Ends {
  try {
    const found = JSON.parse(localStorage.getItem(tailKey(name)) ?? '') as { readonly epoch?: unknown; readonly ends?: Ends }
    return found.epoch === epoch ? Object.fromEntries(Object.entries(found.ends ?? {}).filter(([, end]) => Array.isArray(end))) : {}
  } catch {
    return {}
  }
}
