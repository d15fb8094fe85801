import { isSessionError, SessionError } from '../../../contract/errors.ts'
import type { SourceFile } from '../../../contract/job.ts'
import { parseSessionFile, type SessionFileName } from '../../../formats/file-names.ts'
import { readText } from '../../../formats/read-text.ts'
import { walkFiles } from '../../../formats/session-files.ts'
import type { SkippedLines } from '../../../formats/skipped-lines.ts'
import { type PicoClawMeta, readMeta } from './read-picoclaw-meta.ts'

/** The result of the first pass over the files of an import. */
export interface FoundMetas {
  /** All session files by their paths. */
  readonly names: ReadonlyMap<string, SessionFileName>
  /** By the stem of the file. `undefined` for a file that can't be read. */
  readonly metas: ReadonlyMap<string, PicoClawMeta | undefined>
}

/**
 * Reads the metadata files: a log is read with its metadata, which may come after it in an archive.
 *
 * @throws InvalidInput when there is no session file; Aborted
 */
export async function readMetas(
  files: readonly SourceFile[],
  signal: AbortSignal | undefined,
  skipped: SkippedLines,
  onRead: (bytes: number) => void,
): Promise<FoundMetas> {
  const names = new Map<string, SessionFileName>()
  const isWanted = (path: string): boolean => {
    const name = parseSessionFile(path)
    if (name !== undefined) names.set(path, name)
    return name?.kind === 'meta'
  }
  const metas = new Map<string, PicoClawMeta | undefined>()
  for await (const { path, bytes } of walkFiles(files, { isWanted, signal, onRead })) {
    const text = (await readText(bytes)) ?? ''
    const meta = readOrSkip(path, skipped, () => readMeta(text, (reason) => skipped.add(0, reason, path)))
    metas.set(names.get(path)!.stem, meta)
  }
  if (names.size === 0)
    throw new SessionError(
      'InvalidInput',
      'There are no sessions of PicoClaw: no .jsonl, .meta.json or .json file. ' +
        "Choose PicoClaw's sessions directory, or a zip of it.",
    )
  return { names, metas }
}

/** Reads a file, or skips and reports it. */
export function readOrSkip<T>(path: string, skipped: SkippedLines, read: () => T): T | undefined {
  try {
    return read()
  } catch (error) {
    if (!isSessionError(error)) throw error
    skipped.add(0, error.message, path)
    return undefined
  }
}
