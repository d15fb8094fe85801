import { damagedBlob } from '../damaged-row.ts'
import type { Connection } from './connection.ts'
import type { BlobRow } from './schema.ts'
import { unlessLost } from './unless-lost.ts'

/** Reads a blob. @throws ChecksumMismatch when its row is damaged */
export function readBlob({ read }: Connection, hash: string): Promise<Blob | undefined> {
  return read<Blob | undefined>(['blobs'], 'read a blob', ({ store, attempt, answer }) => {
    const damaged = (cause?: unknown): never => {
      throw damagedBlob(hash, cause)
    }
    const take = (row: Partial<BlobRow> | undefined): void =>
      row === undefined || row.blob instanceof Blob ? answer(row?.blob) : damaged()
    attempt<Partial<BlobRow> | undefined>(store('blobs').get(hash), take, unlessLost(damaged))
  })
}
