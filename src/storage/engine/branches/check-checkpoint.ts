import type { CoreBackend } from '../../../contract/backend.ts'
import { SessionError } from '../../../contract/errors.ts'
import type { CheckpointRow, SessionRows } from '../../../contract/rows.ts'
import { entryId } from '../../../domain/address.ts'
import { lineAt } from '../../../domain/line.ts'
import { entryChecksum } from '../../../domain/seal.ts'
import { createSeenCounter, isStillThere } from '../../../domain/seen-messages.ts'
import { type CountedLine, countSeen } from '../reading/seen-reader.ts'

/**
 * Holds what a checkpoint would show against what it saw. What came later stays out of it, because its vector does. The last messages it saw are
 * read; of those before it is known what is stored, unless something came in between, was erased or was repaired since.
 *
 * @throws ChecksumMismatch when a message is missing or is not what was stored
 */
export async function refuseChanged(backend: CoreBackend, rows: SessionRows, id: string, { branch, order, vv, clock, seen }: CheckpointRow): Promise<CountedLine | undefined> {
  if (seen === undefined) return undefined
  const line = lineAt(rows.cold, { branch, order, vv, cuts: clock })
  const refuse = (finding: string): never => {
    throw new SessionError('ChecksumMismatch', `Checkpoint "${id}" of session "${rows.hot.key}" can't be restored: ${finding}. Run verify(), then repair(); merge what another device or an export still has.`)
  }
  const counted = line && (await countSeen(backend, rows, line, (row) => {
    if (row.crc !== entryChecksum(row)) refuse(`message ${entryId(row.w, row.s)} is not what was stored`)
  }))
  if (line !== undefined && counted === undefined) refuse(`it saw ${seen.messages} messages, of which some can't be read`)
  const now = createSeenCounter(counted?.seen).total(vv, rows.cold.purged)
  if (!isStillThere(seen, now)) refuse(`it saw ${seen.messages} messages, of which ${now.messages} are here, or others`)
  return counted
}
