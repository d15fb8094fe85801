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

/** What an import needs of a store. */
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
 * a stream, the session's entries (not its text) are held in memory, and nothing is stored before all of it has been
 * read.
 *
 * The same file again adds nothing, a file that has grown adds what is new, on every device alike. Lines that can't be
 * taken are skipped and reported. A session that was deleted comes back.
 *
 * @throws InvalidInput when the file is no session log or can't be read; VersionConflict when newer code wrote it;
 *   TooLarge when it can't be held; Aborted: a session that was not there before is gone again, in one that was some of
 *   the new entries may stay, and another import adds the others
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
    // What a deleted session has can't be looked up, and must not come in twice.
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
