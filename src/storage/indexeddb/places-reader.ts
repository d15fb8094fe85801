import type { ReadPlaces } from '../../contract/session-places.ts'
import type { Connection } from './connection.ts'
import { readPlaces } from './read-places.ts'
import { createKeyRanges } from './record-keys.ts'

/** The method that search needs. The session worker does not need it. */
export function placesReader(
  { read }: Pick<Connection, 'read'>,
  range = IDBKeyRange,
): { readonly readPlaces: ReadPlaces } {
  const ranges = createKeyRanges(range)
  return {
    readPlaces: (asked) =>
      read(['sessions', 'details', 'entries', 'bodies'], 'read what was found', (steps) =>
        readPlaces(steps, ranges, asked),
      ),
  }
}
