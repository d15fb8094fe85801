import type { StoreChange } from '../contract/change.ts'
import type { EntryPage, ReadOptions, View } from '../contract/store/session-log.ts'
import type { SessionStore } from '../contract/store/session-store.ts'
import { joinEarlier, joinEnd, joinLater, type LogWindow, type MovedWindow, mostHeld } from './join-window.ts'

const pageSize = 100

/** A line of a session, and how it is read. `branch` is absent for the head. */
export interface LogPlace {
  readonly key: string
  readonly branch?: string | undefined
  readonly view: View
}

export interface LogReader {
  window(): LogWindow
  toEnd(): Promise<void>
  toStart(): Promise<void>
  /** Shows an entry among its neighbours. @returns its place in the window, or `undefined` if there is no such entry */
  find(mid: string): Promise<number | undefined>
  earlier(): Promise<void>
  later(): Promise<void>
  /** Reads again what a change concerns. */
  follow(change: Extract<StoreChange, { readonly type: 'session' }>): Promise<void>
}

/**
 * Reads a log page by page, from where somebody looks.
 *
 * @param onWindow - called with by how many places the entries have moved in the window
 */
export function createLogReader(
  store: Pick<SessionStore, 'read' | 'find'>,
  { key, branch, view }: LogPlace,
  onWindow: (shift: number) => void,
): LogReader {
  let current: LogWindow = { entries: [], hasEarlier: false, hasLater: false, hasUnreadable: false }
  /** A session that is begun anew under the key of one that was purged has another number. */
  let session = 0
  const turns = createTurns()

  const read = (range: ReadOptions): Promise<EntryPage> =>
    store.read(key, { ...range, view, ...(branch === undefined ? {} : { branch }) })

  function set({ window, shift }: MovedWindow): void {
    current = window
    onWindow(shift)
  }
  function replace(page: EntryPage, hasEarlier: boolean, hasLater: boolean): void {
    const { entries, skipped } = page
    session = page.session
    set({ window: { entries, hasEarlier, hasLater, hasUnreadable: skipped > 0 }, shift: 0 })
  }
  /** Pages of two sessions are never shown together. */
  async function join(range: ReadOptions, joined: (page: EntryPage) => MovedWindow): Promise<void> {
    const page = await read(range)
    if (page.session === session) set(joined(page))
    else await readEnd()
  }

  async function readEnd(count = pageSize): Promise<void> {
    const page = await read({ last: Math.min(mostHeld, Math.max(pageSize, count)) })
    replace(page, page.more, false)
  }

  async function readStart(): Promise<void> {
    const page = await read({ after: '', limit: pageSize })
    replace(page, false, page.more)
  }

  async function readEarlier(): Promise<void> {
    const [first] = current.entries
    if (first !== undefined && current.hasEarlier)
      await join({ before: first.order, limit: pageSize }, (page) => joinEarlier(current, page))
  }

  async function readLater(): Promise<void> {
    const end = current.entries.at(-1)
    if (end !== undefined && current.hasLater)
      await join({ after: end.order, limit: pageSize }, (page) => joinLater(current, page))
  }

  async function readAround(mid: string): Promise<number | undefined> {
    const entry = await store.find(key, { mid })
    if (entry === undefined) return undefined
    const [before, after] = await Promise.all([
      read({ before: entry.order, limit: pageSize }),
      read({ after: entry.order, limit: pageSize }),
    ])
    const entries = [...before.entries, entry, ...after.entries]
    replace({ ...before, entries, skipped: before.skipped + after.skipped }, before.more, after.more)
    return before.entries.length
  }

  /** The same part again, because something in it changed. */
  async function readAgain(): Promise<void> {
    const end = current.entries.at(-1)
    if (!current.hasLater || end === undefined) return readEnd(current.entries.length)
    // Right behind an order there is nothing but what begins with it.
    const page = await read({ before: `${end.order}!`, limit: Math.max(1, current.entries.length) })
    replace(page, page.more, true)
  }

  async function follow(change: Extract<StoreChange, { readonly type: 'session' }>): Promise<void> {
    if (change.session !== session) return readEnd()
    const { rows, reload } = change
    const end = current.entries.at(-1)
    // Entries of other devices may sort before those that are here.
    const isInside = rows.some(({ order }) => end !== undefined && order <= end.order)
    if (reload || isInside) return readAgain()
    if (!current.hasLater) await join({ last: pageSize }, (page) => joinEnd(current, page))
  }

  return {
    window: () => current,
    toEnd: () => turns.take(() => readEnd()),
    toStart: () => turns.take(readStart),
    find: (mid) => turns.take(() => readAround(mid)),
    earlier: () => turns.takeFree(readEarlier),
    later: () => turns.takeFree(readLater),
    follow: (change) => turns.take(() => follow(change)),
  }
}

/** Reads come one after the other: each begins where the last one ended. */
function createTurns() {
  let last: Promise<unknown> = Promise.resolve()
  let waiting = 0

  function take<T>(work: () => Promise<T>): Promise<T> {
    waiting++
    const done = last.then(work, work).finally(() => waiting--)
    last = done.catch(() => undefined)
    return done
  }
  return {
    take,
    /** Only if nothing else is being read: whoever scrolls asks again. */
    takeFree: async (work: () => Promise<void>): Promise<void> => (waiting > 0 ? undefined : take(work)),
  }
}
