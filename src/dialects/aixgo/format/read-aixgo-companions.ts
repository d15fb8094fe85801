import { SessionError } from '../../../contract/errors.ts'
import { createSizeGuard } from '../../../formats/create-size-guard.ts'
import { eachFile } from '../../../formats/each-file.ts'
import type { ForeignFile } from '../../../formats/foreign-files.ts'
import { readSmallText } from '../../../formats/read-small-text.ts'
import type { SkippedLines } from '../../../formats/skipped-lines.ts'
import { splitPath } from '../../../formats/split-path.ts'
import { type AixgoCheckpoint, isCheckpoint, readCheckpoint } from './aixgo-checkpoint.ts'
import { type AixgoMeta, readIndex } from './read-aixgo-index.ts'

/** Maximum size of an index and of a checkpoint. */
const wholeFileBytes = { index: 32 * 1024 * 1024, checkpoint: 16 * 1024 * 1024 }

/** A row of an index, with where the index was found. */
export interface FoundRow {
  readonly id: string
  readonly meta: AixgoMeta
  readonly directory: string
  /** Path of the index. */
  readonly path: string
}

export interface FoundCheckpoint {
  readonly path: string
  readonly checkpoint: AixgoCheckpoint
}

/** The content of the files other than logs. */
export interface AixgoCompanions {
  readonly rows: readonly FoundRow[]
  /** By session id. */
  readonly checkpoints: ReadonlyMap<string, readonly FoundCheckpoint[]>
}

/** Reads indexes and checkpoints. A file that can't be read is skipped and reported. */
export async function readCompanions(
  files: readonly ForeignFile[],
  signal: AbortSignal | undefined,
  onRead: (bytes: number) => void,
  skipped: SkippedLines,
): Promise<AixgoCompanions> {
  const rows: FoundRow[] = []
  const checkpoints = new Map<string, FoundCheckpoint[]>()
  const hold = createSizeGuard()
  await eachFile(files, skipped, signal, async ({ path, read }) => {
    const text = await readSmallText(read(signal, onRead), wholeFileBytes.index)
    hold(text.length)
    const found = parseJson(text)
    if (!isCheckpoint(found)) {
      const { directory } = splitPath(path)
      for (const [id, meta] of readIndex(found)) rows.push({ id, meta, directory, path })
      return
    }
    if (text.length > wholeFileBytes.checkpoint)
      throw new SessionError('TooLarge', `it has over ${wholeFileBytes.checkpoint / 1024 / 1024} MiB`)
    const checkpoint = readCheckpoint(found)
    const others = checkpoints.get(checkpoint.sessionId)
    if (others === undefined) checkpoints.set(checkpoint.sessionId, [{ path, checkpoint }])
    else others.push({ path, checkpoint })
  })
  return { rows, checkpoints }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw new SessionError('InvalidInput', 'it is not JSON')
  }
}
