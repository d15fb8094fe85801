import type { LostData } from '../../contract/change.ts'
import type { SessionStore } from '../../contract/store/session-store.ts'
import { originFile } from '../files/origin-file.ts'
import type { OpeningAttempt } from '../opening/ladder.ts'
import { timeText } from '../opening/time-text.ts'
import { dropTail } from './tail-marker.ts'

/** Delay after a change before the marker is written again: its figures are approximate, and no append waits for it. */
const markMs = 5000

/** What is stored about a database outside of it. */
interface LossMarker extends Partial<LostData> {
  readonly epoch: string
}

/**
 * Epoch of the database that each open store uses now. A database that was refilled has another epoch than at the
 * opening.
 */
const epochs = new WeakMap<OpeningAttempt, string>()

const epochKey = (name: string): string => `keepsession.epoch:${name}`
const figuresKey = (name: string): string => `keepsession.known:${name}`
const knownFile = (name: string) => originFile(name, 'known')

/**
 * What this page's Web Storage knows of the database. Read synchronously, because there is no time to wait when the
 * database turns out to be gone.
 */
export function lastKnown(name: string): LossMarker | undefined {
  try {
    const epoch = localStorage.getItem(epochKey(name))
    return epoch === null ? undefined : { ...figuresIn(localStorage.getItem(figuresKey(name))), epoch }
  } catch {
    // There is no page, or it is not allowed to store anything.
    return undefined
  }
}

/**
 * Notes which database is open, in Web Storage and in a file of the origin (OPFS), so that whichever is left shows that
 * the database was wiped; browsers silently create an empty one. The note is made after the store was opened, and
 * browsers take their time to write it (Web Storage: seconds). So the loss of a database without a mirror goes
 * unnoticed if it happens within that time after the database was created.
 *
 * @param epoch - random id of the database, drawn when it was created
 * @returns what is known of the previous database, if it was another one
 */
export async function noteEpoch(attempt: OpeningAttempt, epoch: string): Promise<Partial<LostData> | undefined> {
  const { name } = attempt
  epochs.set(attempt, epoch)
  const markers = [lastKnown(name), await readFile(name)]
  const { epoch: before, ...figures } = markers.find((marker) => marker !== undefined && marker.epoch !== epoch) ?? {}
  // If only one of the two notes names the database, it was open before, and the other note was cleared or could never
  // be written.
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
  // The first mark includes what was stored before this code was loaded.
  let timer: ReturnType<typeof setTimeout> | undefined = setTimeout(() => mark(), markMs)
  const mark = async (): Promise<void> => {
    clearTimeout(timer)
    timer = undefined
    try {
      const { sessions, total } = await store.listSessions({ limit: 1 })
      const epoch = epochs.get(attempt)
      if (epoch !== undefined) await write(name, { epoch, sessions: total, updatedAt: sessions[0]?.updatedAt ?? 0 })
    } catch {
      // If counting fails now, the next change counts again.
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

/** Removes the notes about a database that is deleted on purpose. */
export async function dropMarker(name: string): Promise<void> {
  await dropTail(name)
  try {
    localStorage.removeItem(epochKey(name))
    localStorage.removeItem(figuresKey(name))
  } catch {
    // A page that is not allowed to store anything has no note there.
  }
  await knownFile(name).remove()
}

/** Describes what is missing, for a notice; empty if nothing is known. */
export function describeLoss({ sessions, updatedAt }: Partial<LostData>): string {
  if (sessions === undefined || updatedAt === undefined) return ''
  return ` It had about ${sessions} sessions, the newest of ${timeText(updatedAt)}.`
}

async function write(name: string, marker: LossMarker): Promise<void> {
  const { epoch, ...figures } = marker
  try {
    localStorage.setItem(epochKey(name), epoch)
    localStorage.setItem(figuresKey(name), JSON.stringify(figures))
  } catch {
    // The file is the second of two notes.
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
