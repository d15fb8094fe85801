import type { EntryView, Session, TranscriptSnapshot } from '../../src/index.ts'

const before = 30
const after = 60
const nextPage = 100
/** An entry that changes far up is rare: only so many are read again for it. */
const mostReadAgain = 1000

/** A part of a line in its middle, as the conversation shows it. */
export interface Passage {
  /** What is shown in the place of the newest part. */
  snapshot(newest: TranscriptSnapshot): PassageSnapshot
  length(): number
  loadEarlier(): Promise<void>
  /** @returns whether the line ends there */
  loadLater(): Promise<boolean>
  /** Reads it again, after a change. */
  refresh(): Promise<void>
}

interface PassageSnapshot extends TranscriptSnapshot {
  /** Whether the line goes on after these entries. */
  readonly later: boolean
}

/** Opens the part of a line around an entry: what is far from the end is read without all that lies between. */
export async function openPassage(
  session: Session,
  { line, order }: { readonly line: string; readonly order: string },
): Promise<Passage> {
  const earlier = await session.page({ branch: line, before: order, limit: before })
  // The page after the entry before it begins with the entry itself.
  const from = await session.page({ branch: line, after: earlier.entries.at(-1)?.order ?? '', limit: after })
  let entries: readonly EntryView[] = [...earlier.entries, ...from.entries]
  let more = earlier.more
  let later = from.more

  return {
    snapshot: (newest) => ({ ...newest, entries, more, later, drafts: later ? [] : newest.drafts }),
    length: () => entries.length,
    async loadEarlier() {
      const [first] = entries
      if (!more || first === undefined) return
      const page = await session.page({ branch: line, before: first.order, limit: nextPage })
      entries = [...page.entries, ...entries]
      more = page.more
    },
    async loadLater() {
      const last = entries.at(-1)
      if (!later || last === undefined) return true
      const page = await session.page({ branch: line, after: last.order, limit: nextPage })
      entries = [...entries, ...page.entries]
      later = page.more
      return !later
    },
    async refresh() {
      const [first, last] = [entries[0], entries.at(-1)]
      if (first === undefined || last === undefined || entries.length > mostReadAgain) return
      const known = new Map(entries.map((entry) => [entry.id, entry]))
      const start = more ? await session.page({ branch: line, before: first.order, limit: 1 }) : undefined
      const page = await session.page({ branch: line, after: start?.entries[0]?.order ?? '', limit: entries.length })
      // The same entry keeps its identity, so that its view stays.
      entries = page.entries.map((entry) =>
        known.get(entry.id)?.edit === entry.edit ? (known.get(entry.id) ?? entry) : entry,
      )
      later = page.more
    },
  }
}
