import type { JournalMark } from '../contract/journal.ts'

/** The mark of a journal of which the database has nothing yet. */
export const noMark = (boot: string): JournalMark => ({ boot, upTo: 0 })

/** What the database has of a journal according to either of two marks. */
export function joinMarks({ boot, upTo, ahead = [] }: JournalMark, more: JournalMark): JournalMark {
  const reached = Math.max(upTo, more.upTo)
  const sessions = new Map<string, number>()
  for (const [key, at] of [...ahead, ...(more.ahead ?? [])])
    if (at > Math.max(reached, sessions.get(key) ?? 0)) sessions.set(key, at)
  return { boot, upTo: reached, ...(sessions.size > 0 && { ahead: [...sessions] }) }
}

/** Marks only grow: two that look the same have had the same between them. */
export const isSameMark = (one: JournalMark, other: JournalMark): boolean =>
  one.upTo === other.upTo && JSON.stringify(one.ahead) === JSON.stringify(other.ahead)

/** Whether the database has what a journal has of a session up to this place, or had it before it was erased. */
export const isMarked = ({ upTo, ahead = [] }: JournalMark, key: string, at: number): boolean =>
  at <= upTo || ahead.some(([session, reached]) => session === key && at <= reached)
