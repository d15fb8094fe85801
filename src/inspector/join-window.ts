import type { EntryView } from '../contract/entry.ts'
import type { EntryPage } from '../contract/store/session-log.ts'

/** Entries that are held at most: what is scrolled out far enough is read again when it is wanted. */
export const mostHeld = 1_000

/** The part of a log that is looked at. It never grows with the log. */
export interface LogWindow {
  readonly entries: readonly EntryView[]
  /** Whether the log goes on before, or after it. */
  readonly hasEarlier: boolean
  readonly hasLater: boolean
  /** Whether some records could not be read. How many can't be said: a page that is scrolled back to is read again. */
  readonly hasUnreadable: boolean
}

/** Another window, and by how many places the entries of the one before have moved in it. */
export interface MovedWindow {
  readonly window: LogWindow
  readonly shift: number
}

/** The window with the page before it; what is too much goes at its end. */
export function joinEarlier({ entries, hasLater, hasUnreadable }: LogWindow, page: EntryPage): MovedWindow {
  const all = [...page.entries, ...entries]
  return {
    window: {
      entries: all.slice(0, mostHeld),
      hasEarlier: page.more,
      hasLater: hasLater || all.length > mostHeld,
      hasUnreadable: hasUnreadable || page.skipped > 0,
    },
    shift: page.entries.length,
  }
}

/** The window with the page after it; what is too much goes at its start. */
export function joinLater({ entries, hasEarlier, hasUnreadable }: LogWindow, page: EntryPage): MovedWindow {
  const all = [...entries, ...page.entries]
  const dropped = Math.max(0, all.length - mostHeld)
  return {
    window: {
      entries: all.slice(dropped),
      hasEarlier: hasEarlier || dropped > 0,
      hasLater: page.more,
      hasUnreadable: hasUnreadable || page.skipped > 0,
    },
    shift: dropped === 0 ? 0 : -dropped,
  }
}

/** The window with the newest page in place of what it had of it. */
export function joinEnd(window: LogWindow, page: EntryPage): MovedWindow {
  const from = page.entries[0]?.order
  const end = window.entries.at(-1)?.order
  const held = from === undefined ? [] : window.entries.filter(({ order }) => order < from)
  // Where more came than a page has, what is between is not known.
  const isApart = from === undefined || end === undefined || from > end
  if (isApart || held.length === 0)
    return {
      window: { entries: page.entries, hasEarlier: page.more, hasLater: false, hasUnreadable: page.skipped > 0 },
      shift: 0,
    }
  return joinLater({ ...window, entries: held }, { ...page, more: false })
}
