import type { CoreBackend } from '../../contract/backend.ts'
import { SessionError } from '../../contract/errors.ts'
import type { CheckpointRow, SessionRows, StoredEntry } from '../../contract/rows.ts'
import { entryId } from '../../domain/address.ts'
import type { Line } from '../../domain/line.ts'
import { isCut, lineAt, segmentOf } from '../../domain/line.ts'
import { entryChecksum } from '../../domain/seal.ts'
import { isStillThere, seenMessages } from '../../domain/seen-messages.ts'
import { readWholeLine } from './session-reader.ts'

/** The messages of a line that no cut hides, removed ones too. */
export async function readUncut(backend: CoreBackend, rows: SessionRows, line: Line): Promise<readonly StoredEntry[]> {
  const all = await readWholeLine(backend, rows, line, 'raw')
  return all.filter((row) => row.type === 'message' && !isCut(line, segmentOf(line, row), row))
}

/**
 * Holds what a checkpoint would show against what it saw. What came later stays out of it, because its vector does.
 *
 * @throws ChecksumMismatch when a message is missing or is not what was stored
 */
export async function refuseChanged(backend: CoreBackend, rows: SessionRows, id: string, { branch, order, vv, clock, seen }: CheckpointRow): Promise<void> {
  if (seen === undefined) return
  const line = lineAt(rows.cold, { branch, order, vv, cuts: clock })
  const messages = line === undefined ? [] : await readUncut(backend, rows, line)
  const changed = messages.find((row) => row.crc !== entryChecksum(row))
  const refuse = (finding: string): never => {
    throw new SessionError('ChecksumMismatch', `Checkpoint "${id}" of session "${rows.hot.key}" can't be restored: ${finding}. Run verify(), then repair(); merge what another device or an export still has.`)
  }
  if (changed !== undefined) refuse(`message ${entryId(changed.w, changed.s)} is not what was stored`)
  if (!isStillThere(seen, seenMessages(messages, vv, rows.cold.purged))) refuse(`it saw ${seen.messages} messages, of which ${messages.length} are here, or others`)
}
