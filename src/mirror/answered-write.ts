import { controlLane } from '../contract/backend.ts'
import type { AnsweredWrite } from '../contract/journal.ts'
import type { OperationRow } from '../contract/operation-row.ts'
import type { StoredEntry } from '../contract/rows.ts'
import type { SessionWrite } from '../contract/write-batch.ts'
import { pushAll } from '../domain/push-all.ts'
import { plannedVersion } from '../storage/planned-version.ts'

/** The most bytes of entries in one write that is answered early. Its frame is made in memory as a whole. */
const answeredBytes = 2 ** 23

/**
 * What a journal must keep of a write so that its call can be answered; `undefined` when only the database can answer
 * it. The rest of the write is counted from the entries again, if it ever has to be.
 */
export function answeredWrite(write: SessionWrite): AnsweredWrite | undefined {
  const { hot, append, insert, edits, erase, aliases, drafts, references = [], term } = write
  if (write.isUnconditional !== true || term !== undefined) return undefined
  if (edits.length + drafts.length + references.length + aliases.add.length + aliases.drop.length > 0) return undefined
  // Lanes below hold sums and marks, which can be made again, and the lane of control entries decides over others.
  const lines = [...append, ...insert].filter(({ lane }) => lane >= 0)
  if ([...append, ...insert, ...erase].some(({ lane }) => lane === controlLane)) return undefined
  if (erase.some(({ lane }) => lane >= 0)) return undefined
  const entries: StoredEntry[] = []
  for (const lane of lines) pushAll(entries, lane.entries)
  if (entries.length === 0 || entries.reduce((sum, { bytes }) => sum + bytes, 0) > answeredBytes) return undefined
  const operations = operationsOf(write)
  if (operations === undefined) return undefined
  return {
    key: hot.key,
    session: hot.session,
    since: plannedVersion(write),
    entries: entries.sort((a, b) => a.s - b.s),
    operations,
  }
}

/** @returns `undefined` when one of them is done again, which the database has to look up */
function operationsOf({ hot, operations, operationIds = [] }: SessionWrite): readonly OperationRow[] | undefined {
  if (operationIds.length === 0) return []
  const known = [...operations, ...hot.recent]
  if (known.some(({ isRedone }) => isRedone === true)) return undefined
  const asked = new Set(operationIds)
  return known.filter(({ id }) => asked.has(id))
}
