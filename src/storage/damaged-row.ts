import { SessionError } from '../contract/errors.ts'

/** The error for a session with an unreadable row. Its entries lie elsewhere. */
export function damagedRow(key: string, row: 'hot' | 'cold'): SessionError {
  return new SessionError(
    'ChecksumMismatch',
    `The ${row} row of session "${key}" can't be read. Run repair; its entries may all be there.`,
  )
}

/** The error for a blob that exists and can't be read. */
export function damagedBlob(hash: string, cause?: unknown): SessionError {
  return new SessionError(
    'ChecksumMismatch',
    `The bytes of blob "${hash}" can't be read. Run repair, which may have a copy, or put them again.`,
    { cause },
  )
}
