import { SessionError } from '../../contract/errors.ts'
import type { CollectionRow } from '../../contract/store/collections.ts'
import type { SessionStore } from '../../contract/store/session-store.ts'
import { createSha256 } from '../../domain/sha256.ts'
import { abortError } from '../byte-source.ts'
import { parseCollection } from './collection-file.ts'
import type { ArchiveFile } from './open-archive.ts'
import { hashed } from './session-file.ts'

/** About how many bytes and how many rows are stored in one transaction. */
const batch = { bytes: 4 * 1024 * 1024, rows: 1000 }

export interface RestoreCollectionOptions {
  readonly signal: AbortSignal | undefined
  /** SHA-256 of the file, if it is in a manifest. */
  readonly sha256: string | undefined
  readonly skip: (reason: string) => void
}

/**
 * Restores the rows of an archived collection. The whole file is checked first, so that nothing of a damaged one is
 * stored. A row under a key that has one here stays as it is here.
 *
 * @returns how many rows are new
 * @throws InvalidInput, ChecksumMismatch, TooLarge with the mistake; VersionConflict; Aborted
 */
export async function restoreCollection(
  store: Pick<SessionStore, 'writeRows'>,
  { bytes, isReadAgain }: ArchiveFile,
  { signal, sha256, skip }: RestoreCollectionOptions,
): Promise<number> {
  const hash = createSha256()
  const held: CollectionRow[] = []
  let name = ''
  for await (const line of parseCollection(hashed(bytes(), hash.update), signal)) {
    if ('name' in line) name = line.name
    else if ('counts' in line && line.counts.unreadable > 0)
      skip(`it lacks ${line.counts.unreadable} rows, which could not be read when it was archived`)
    // An incomplete archive can be read only once.
    else if ('row' in line && !isReadAgain) held.push(line.row)
    if (held.length > batch.rows)
      throw new SessionError('TooLarge', `it has over ${batch.rows} rows, and an incomplete archive is read only once`)
  }
  if (sha256 !== undefined && hash.hex() !== sha256)
    throw new SessionError('ChecksumMismatch', 'its checksum does not match the manifest')
  return storeRows(store, name, isReadAgain ? rowsOf(parseCollection(bytes(), signal)) : held, signal)
}

async function* rowsOf(lines: ReturnType<typeof parseCollection>): AsyncGenerator<CollectionRow, void, undefined> {
  for await (const line of lines) if ('row' in line) yield line.row
}

async function storeRows(
  store: Pick<SessionStore, 'writeRows'>,
  name: string,
  rows: Iterable<CollectionRow> | AsyncIterable<CollectionRow>,
  signal: AbortSignal | undefined,
): Promise<number> {
  let waiting: CollectionRow[] = []
  let [size, added] = [0, 0]
  const write = async (): Promise<void> => {
    if (signal?.aborted) throw abortError()
    const changed = await store.writeRows(
      name,
      waiting.map((row) => ({ type: 'insertIfAbsent', ...row })),
    )
    added += changed.filter(Boolean).length
    waiting = []
    size = 0
  }
  for await (const row of rows) {
    waiting.push(row)
    size += row.value instanceof Uint8Array ? row.value.length : JSON.stringify(row.value).length
    if (waiting.length === batch.rows || size > batch.bytes) await write()
  }
  if (waiting.length > 0) await write()
  return added
}
