import type { CoreBackend } from '../../contract/backend.ts'
import { SessionError } from '../../contract/errors.ts'
import type { CheckpointRow, SessionRows } from '../../contract/rows.ts'
import { entryId } from '../../domain/address.ts'
import { lineAt } from '../../domain/line.ts'
import { entryChecksum } from '../../domain/seal.ts'
import { createSeenCounter, isStillThere } from '../../domain/seen-messages.ts'
import { isSeen } from './seen-reader.ts'
import { readPages } from './session-reader.ts'

/**
 * Holds what a checkpoint would show against what it saw. What came later stays out of it, because its vector does.
 *
 * @throws ChecksumMismatch when a message is missing or is not what was stored
 */
export async function refuseChanged(backend: CoreBackend, rows: SessionRows, id: string, { branch, order, vv, clock, seen }: CheckpointRow): Promise<void> {
  if (seen === undefined) return
  const line = lineAt(rows.cold, { branch, order, vv, cuts: clock })
  const counter = createSeenCounter()
  const refuse = (finding: string): never => {
    throw new SessionError('ChecksumMismatch', `Checkpoint "${id}" of session "${rows.hot.key}" can't be restored: ${finding}. Run verify(), then repair(); merge what another device or an export still has.`)
  }
  if (line !== undefined) {
    for await (const page of readPages(backend, rows, line, 'raw')) {
      for (const row of page) {
        if (!isSeen(line, row)) continue
        if (row.crc !== entryChecksum(row)) refuse(`message ${entryId(row.w, row.s)} is not what was stored`)
        counter.add(row)
      }
    }
  }
  const now = counter.total(vv, rows.cold.purged)
  if (!isStillThere(seen, now)) refuse(`it saw ${seen.messages} messages, of which ${now.messages} are here, or others`)
}
