import type { JournalMark, MarkStep } from '../../contract/journal.ts'
import { isSameMark, joinMarks, noMark } from '../../domain/journal-mark.ts'
import type { Connection } from './connection.ts'
import { createKeyRanges } from './record-keys.ts'
import { journalKey } from './schema.ts'
import type { WriteSteps } from './transaction.ts'

/** The marks of the journals of a database's workers. */
export interface JournalMarks {
  /** The marks of all journals that may have content which the database lacks. */
  listJournals(): Promise<readonly JournalMark[]>
  /** Forgets journals that the database has completely, and whose worker is gone. */
  forgetJournals(boots: readonly string[]): Promise<void>
}

export function journalMarks(
  { read, write }: Pick<Connection, 'read' | 'write'>,
  keyRange = globalThis.IDBKeyRange,
): JournalMarks {
  const all = createKeyRanges(keyRange).journals()
  return {
    listJournals: () =>
      read<readonly JournalMark[]>(['info'], 'read how far journals are indexed', ({ store, read, answer }) =>
        read<JournalMark[]>(store('info').getAll(all), answer),
      ),
    forgetJournals: async (boots) => {
      await write(['info'], 'relaxed', 'forget journals', ({ store }) => {
        for (const boot of boots) store('info').delete([journalKey, boot])
      })
    },
  }
}

/**
 * The mark is stored together with what it covers, so that neither is there without the other. Everything is refused
 * when it comes after another mark than the stored one.
 */
export function putJournalMark(steps: WriteSteps, { after, ...mark }: MarkStep): void {
  const info = steps.store('info')
  const place = [journalKey, mark.boot]
  // Another worker may have stored more of the journal.
  steps.read<JournalMark | undefined>(info.get(place), (stored) => {
    const known = stored ?? noMark(mark.boot)
    if (after !== undefined && !isSameMark(known, after)) return steps.refuse()
    const joined = joinMarks(known, mark)
    if (stored === undefined || !isSameMark(stored, joined)) info.put(joined, place)
  })
}
