import type { StoreChange } from '../contract/change.ts'
import type { EntryView } from '../contract/entry.ts'
import type { EntryPage, View } from '../contract/store/session-log.ts'
import type { SessionStore } from '../contract/store/session-store.ts'

const pageSize = 100
/** Entries that are held at most: what is scrolled out far enough is read again when it is wanted. */
const mostHeld = 1_000

/** A line of a session, and how it is read. `branch` is absent for the head. */
export interface LogPlace {
  readonly key: string
  readonly branch?: string | undefined
  readonly view: View
}

/** The part of a log that is looked at. It never grows with the log. */
export interface LogWindow {
  readonly entries: readonly EntryView[]
  /** Whether the log goes on before, or after it. */
  readonly hasEarlier: boolean
  readonly hasLater: boolean
  /** Records that could not be read. */
  readonly skipped: number
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

/** @param onWindow - called with by how many places the entries have moved in the window */
export function createLogReader(
  store: Pick<SessionStore, 'read' | 'find'>,
  { key, branch, view }: LogPlace,
  onWindow: (shift: number) => void,
): LogReader {
  let current: LogWindow = { entries: [], hasEarlier: false, hasLater: false, skipped: 0 }
  /** Reads come one after the other: each begins where the last one ended. */
  let last: Promise<unknown> = Promise.resolve()
  let isReading = false

  const read = (range: Parameters<SessionStore['read']>[1]): Promise<EntryPage> =>
    store.read(key, { ...range, view, ...(branch === undefined ? {} : { branch }) })

  function inTurn<T>(work: () => Promise<T>): Promise<T> {
    isReading = true
    const done = last.then(work, work)
    last = done
    const rest = (): void => {
      if (last === done) isReading = false
    }
    done.then(rest, rest)
    return done
  }

  function set(next: LogWindow, shift = 0): void {
    current = next
    onWindow(shift)
  }

  async function readEnd(count = pageSize): Promise<void> {
    const { entries, more, skipped } = await read({ last: Math.min(mostHeld, Math.max(pageSize, count)) })
    set({ entries, hasEarlier: more, hasLater: false, skipped })
  }

  async function readEarlier(): Promise<void> {
    const first = current.entries[0]
    if (first === undefined || !current.hasEarlier) return
    const page = await read({ before: first.order, limit: pageSize })
    const all = [...page.entries, ...current.entries]
    set(
      {
        entries: all.slice(0, mostHeld),
        hasEarlier: page.more,
        hasLater: current.hasLater || all.length > mostHeld,
        skipped: current.skipped + page.skipped,
      },
      page.entries.length,
    )
  }

  async function readLater(): Promise<void> {
    const end = current.entries.at(-1)
    if (end === undefined || !current.hasLater) return
    const page = await read({ after: end.order, limit: pageSize })
    const all = [...current.entries, ...page.entries]
    const dropped = Math.max(0, all.length - mostHeld)
    set(
      {
        entries: all.slice(dropped),
        hasEarlier: current.hasEarlier || dropped > 0,
        hasLater: page.more,
        skipped: current.skipped + page.skipped,
      },
      -dropped,
    )
  }

  async function readAround(mid: string): Promise<number | undefined> {
    const entry = await store.find(key, { mid })
    if (entry === undefined) return undefined
    const [before, after] = await Promise.all([
      read({ before: entry.order, limit: pageSize }),
      read({ after: entry.order, limit: pageSize }),
    ])
    set({
      entries: [...before.entries, entry, ...after.entries],
      hasEarlier: before.more,
      hasLater: after.more,
      skipped: before.skipped + after.skipped,
    })
    return before.entries.length
  }

  /** The same part again, because something in it changed. */
  async function readAgain(): Promise<void> {
    const end = current.entries.at(-1)
    if (!current.hasLater || end === undefined) return readEnd(current.entries.length)
    // Right behind an order there is nothing but what begins with it.
    const page = await read({ before: `${end.order}!`, limit: Math.max(1, current.entries.length) })
    set({ entries: page.entries, hasEarlier: page.more, hasLater: true, skipped: page.skipped })
  }

  return {
    window: () => current,
    toEnd: () => inTurn(() => readEnd()),
    toStart: () =>
      inTurn(async () => {
        const { entries, more, skipped } = await read({ after: '', limit: pageSize })
        set({ entries, hasEarlier: false, hasLater: more, skipped })
      }),
    find: (mid) => inTurn(() => readAround(mid)),
    earlier: async () => (isReading ? undefined : inTurn(readEarlier)),
    later: async () => (isReading ? undefined : inTurn(readLater)),
    follow: (change) =>
      inTurn(async () => {
        const first = current.entries[0]
        const end = current.entries.at(-1)
        // Entries of other devices may sort before those that are here.
        const isInside = change.rows.some(({ order }) => end !== undefined && order <= end.order)
        if (change.reload || isInside) return readAgain()
        if (current.hasLater) return
        const { entries, more, skipped } = await read({ last: pageSize })
        const from = entries[0]?.order
        const held = from === undefined ? [] : current.entries.filter(({ order }) => order < from)
        // More came than a page has: what is between is not known.
        if (from === undefined || (end !== undefined && from > end.order))
          return set({ entries, hasEarlier: more, hasLater: false, skipped })
        const all = [...held, ...entries]
        const dropped = Math.max(0, all.length - mostHeld)
        set(
          {
            entries: all.slice(dropped),
            hasEarlier: first === undefined || held.length === 0 ? more : current.hasEarlier || dropped > 0,
            hasLater: false,
            skipped: Math.max(current.skipped, skipped),
          },
          -dropped,
        )
      }),
  }
}
