import type { LostData } from '../../contract/change.ts'
import type { SessionStore } from '../../contract/store/session-store.ts'
import { originFile } from '../files/origin-file.ts'
import type { OpeningAttempt } from '../opening/ladder.ts'
import { dropTail } from './tail-marker.ts'

/**
 * How long after a change the marker is written again: it tells about how much was there, and no append waits for it.
 */
const markMs = 5000

/** What is remembered of a database outside of it. */
interface LossMarker extends Partial<LostData> {
  readonly epoch: string
}

/**
 * Epoch of the database that each open store works on now: one that was filled again has another than at its opening.
 */
const epochs = new WeakMap<OpeningAttempt, string>()

const epochKey = (name: string): string => `keepsession.epoch:${name}`
const figuresKey = (name: string): string => `keepsession.known:${name}`
const knownFile = (name: string) => originFile(name, 'known')

/**
 * What was known of the database by this page's Web Storage: at once, because there is no time to wait when it is found
 * to be gone.
 */
export function lastKnown(name: string): LossMarker | undefined {
  try {
    const epoch = localStorage.getItem(epochKey(name))
    return epoch === null ? undefined : { ...figuresIn(localStorage.getItem(figuresKey(name))), epoch }
  } catch {
    // No page, or a page that may keep nothing.
    return undefined
  }
}

/**
 * Remembers which database is open, in Web Storage and in a file of the origin (OPFS), so that a wiped one is noticed
 * by whichever is left: browsers hand out an empty one without a word. It is done once the store is handed out, and the
 * browser has its own time to write it down (Web Storage: seconds): a database that is lost as early as that after it
 * was made, without a mirror, is missed by nobody.
 *
 * @param epoch - drawn when the database was made
 * @returns what is known of the one that was there before, when it was another one
 */
export async function noteEpoch(attempt: OpeningAttempt, epoch: string): Promise<Partial<LostData> | undefined> {
  const { name } = attempt
  epochs.set(attempt, epoch)
  const markers = [lastKnown(name), await readFile(name)]
  const { epoch: before, ...figures } = markers.find((marker) => marker !== undefined && marker.epoch !== epoch) ?? {}
  // One that only one of both knew was open before: then the other was cleared, or could never be written.
  if (markers.some((marker) => marker?.epoch !== epoch))
    await write(name, { ...markers.find((marker) => marker?.epoch === epoch), epoch })
  return before === undefined || markers.some((marker) => marker?.epoch === epoch) ? undefined : figures
}

/**
 * Keeps the figures of a marker current while a store is open: rarely, and when the page is hidden, which may be its
 * end.
 */
export function keepMarker(attempt: OpeningAttempt, store: Pick<SessionStore, 'listSessions'>): void {
  const { name, feed } = attempt
  // At first what was done before this was loaded.
  let timer: ReturnType<typeof setTimeout> | undefined = setTimeout(() => mark(), markMs)
  const mark = async (): Promise<void> => {
    clearTimeout(timer)
    timer = undefined
    try {
      const { sessions, total } = await store.listSessions({ limit: 1 })
      const epoch = epochs.get(attempt)
      if (epoch !== undefined) await write(name, { epoch, sessions: total, updatedAt: sessions[0]?.updatedAt ?? 0 })
    } catch {
      // What can't be counted now is counted after the next change.
    }
  }
  const onHidden = (): void => {
    if (document.visibilityState === 'hidden' && timer !== undefined) void mark()
  }
  feed.subscribe((change) => {
    if (change.type === 'session') timer ??= setTimeout(mark, markMs)
  })
  const isPage = (globalThis.document as unknown) !== undefined
  if (isPage) document.addEventListener('visibilitychange', onHidden)
  feed.ending.addEventListener('abort', () => {
    clearTimeout(timer)
    if (isPage) document.removeEventListener('visibilitychange', onHidden)
  })
}

/** Forgets a database that is deleted on purpose. */
export async function dropMarker(name: string): Promise<void> {
  await dropTail(name)
  try {
    localStorage.removeItem(epochKey(name))
    localStorage.removeItem(figuresKey(name))
  } catch {
    // A page that may keep nothing has nothing there.
  }
  await knownFile(name).remove()
}

/** What a notice adds about what is missing; empty when nothing is known. */
export function describeLoss({ sessions, updatedAt }: Partial<LostData>): string {
  if (sessions === undefined || updatedAt === undefined) return ''
  return ` It had about ${sessions} sessions, the newest of ${new Date(updatedAt).toISOString()}.`
}

async function write(name: string, marker: LossMarker): Promise<void> {
  const { epoch, ...figures } = marker
  try {
    localStorage.setItem(epochKey(name), epoch)
    localStorage.setItem(figuresKey(name), JSON.stringify(figures))
  } catch {
    // The file is the other one of two.
  }
  await knownFile(name).write(JSON.stringify(marker))
}

async function readFile(name: string): Promise<LossMarker | undefined> {
  try {
    const text = (await knownFile(name).read()) ?? ''
    const { epoch } = JSON.parse(text) as Partial<LossMarker>
    return typeof epoch === 'string' ? { ...figuresIn(text), epoch } : undefined
  } catch {
    return undefined
  }
}

function figuresIn(text: string | null): Partial<LostData> {
  try {
    const { sessions, updatedAt } = JSON.parse(text ?? '') as Partial<LostData>
    return typeof sessions === 'number' && typeof updatedAt === 'number' ? { sessions, updatedAt } : {}
  } catch {
    return {}
  }
}
