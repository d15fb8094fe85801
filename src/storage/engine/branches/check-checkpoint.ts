import type { CoreBackend } from '../../../contract/backend.ts'
import { SessionError } from '../../../contract/errors.ts'
import type { CheckpointRow, SessionRows } from '../../../contract/rows.ts'
import { entryId } from '../../../domain/address.ts'
import { lineAt } from '../../../domain/line.ts'
import { entryChecksum } from '../../../domain/seal.ts'
import { createSeenCounter, isStillThere } from '../../../domain/seen-messages.ts'
import { type CountedLine, countSeen } from '../reading/seen-reader.ts'

export function damagedCheckpoint({ hot }: SessionRows, id: string, finding: string): SessionError {
  return new SessionError(
    'ChecksumMismatch',
    `Checkpoint "${id}" of session "${hot.key}" can't be restored: ${finding}. Run verify(), then repair(); then merge the entries of another device or an export.`,
  )
}

/**
 * Compares what a checkpoint would show with what it saw. Its vector excludes later entries. The last messages that it
 * saw are read. Those before are known to be stored, unless something was inserted, erased or repaired since.
 *
 * @throws ChecksumMismatch when a message is missing or was changed
 */
export async function refuseChanged(
  backend: CoreBackend,
  rows: SessionRows,
  id: string,
  { branch, order, vv, clock, seen }: CheckpointRow,
): Promise<CountedLine | undefined> {
  if (seen === undefined) return undefined
  const line = lineAt(rows.cold, { branch, order, vv, cuts: clock })
  const refuse = (finding: string): never => {
    throw damagedCheckpoint(rows, id, finding)
  }
  const counted =
    line &&
    (await countSeen(backend, rows, line, (row) => {
      if (row.crc !== entryChecksum(row)) refuse(`message ${entryId(row.w, row.s)} was changed in storage`)
    }))
  if (line !== undefined && counted === undefined)
    refuse(`it saw ${seen.messages} messages, of which some can't be read`)
  const now = createSeenCounter(counted?.seen).total(vv, rows.cold)
  if (!isStillThere(seen, now)) refuse(`it saw ${seen.messages} messages, of which ${now.messages} are here, or others`)
  return counted
}
