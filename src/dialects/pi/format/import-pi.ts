import type { ImportReport, JobProgress } from '../../../contract/job.ts'
import type { MergeResult } from '../../../contract/store/log-exchange.ts'
import type { SessionStore } from '../../../contract/store/session-store.ts'
import type { ByteSource } from '../../../formats/byte-source.ts'
import { abortError } from '../../../formats/byte-source.ts'
import { createSizeGuard } from '../../../formats/create-size-guard.ts'
import { readLines } from '../../../formats/jsonl-lines.ts'
import { oneAtATime } from '../../../formats/one-at-a-time.ts'
import type { SkippedLines } from '../../../formats/skipped-lines.ts'
import { createSkippedLines } from '../../../formats/skipped-lines.ts'
import { takeBack } from '../../../formats/take-back.ts'
import type { Breather } from '../../../pacing/breather.ts'
import { createBreather } from '../../../pacing/breather.ts'
import type { PiLog } from './read-pi-log.ts'
import { createPiLogReader } from './read-pi-log.ts'
import { storeLog } from './store-pi-log.ts'

/** The part of a store that an import needs. */
export type ImportStore = Pick<
  SessionStore,
  'merge' | 'findByMid' | 'resolveSessionKey' | 'getMeta' | 'updateMeta' | 'delete' | 'undelete' | 'purge' | 'usage'
>

export interface ImportPiOptions {
  /** Bytes of the source, for the progress. */
  readonly totalBytes?: number
  readonly signal?: AbortSignal
  /** Called after each piece of the file, and while entries are stored. */
  readonly onProgress?: (progress: JobProgress) => void
}

/**
 * Imports a session log of pi, version 1 to 3, into the session `pi:<id>`; the id becomes an alias. The file is read as
 * a stream. Its entries (not its text) are kept in memory, and nothing is stored before the whole file has been read.
 *
 * Importing the same file again adds nothing, and a file that has grown adds what is new, identically on every device.
 * Lines that can't be imported are skipped and reported. A session that was deleted is restored.
 *
 * @throws InvalidInput when the file is not a session log or can't be read; VersionConflict when newer code wrote it;
 * TooLarge when it does not fit into memory; Aborted: a new session is removed again; in an existing session some of
 * the new entries may stay, and another import adds the others
 */
export async function importPi(
  store: ImportStore,
  source: ByteSource,
  options: ImportPiOptions = {},
): Promise<ImportReport> {
  const { signal, totalBytes = 0, onProgress } = options
  const breathe = createBreather()
  const skipped = createSkippedLines()
  let readBytes = 0
  const report = (entries: number): void => onProgress?.({ readBytes, totalBytes, entries, skipped: skipped.count })

  const log = await readLog(source, skipped, breathe, signal, (read, entries) => {
    readBytes = read
    report(entries)
  })
  const sourceKey = `pi:${log.header.id}`
  return oneAtATime(`keepsession:import:${sourceKey}`, signal, async () => {
    const key = await store.resolveSessionKey(sourceKey)
    const before = await store.getMeta(key)
    if (signal?.aborted) throw abortError()
    // The entries of a deleted session can't be looked up, and would be imported twice.
    if (before?.deletedAt !== undefined) await store.undelete(key)
    let there = 0
    const onMerged = ({ added, known }: MergeResult): void => {
      there += added + known
      report(log.entries)
    }
    try {
      return await storeLog({ store, key, log, skipped, breathe, signal, isNew: before === undefined, onMerged })
    } catch (error) {
      await takeBack(store, key, before, there)
      throw error
    }
  })
}

async function readLog(
  source: ByteSource,
  skipped: SkippedLines,
  breathe: Breather,
  signal: AbortSignal | undefined,
  onRead: (readBytes: number, entries: number) => void,
): Promise<PiLog> {
  const reader = createPiLogReader(skipped)
  const hold = createSizeGuard()
  for await (const { lines, readBytes, pendingBytes } of readLines(source, signal)) {
    for (const line of lines) {
      hold(line.bytes)
      reader.take(line)
      const pause = breathe()
      if (pause !== undefined) await pause
    }
    reader.expect(pendingBytes)
    onRead(readBytes, reader.entries)
    if (signal?.aborted) throw abortError()
  }
  return reader.end()
}
