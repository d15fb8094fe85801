import type { SourceFile } from '../../../contract/job.ts'
import { abortError } from '../../../formats/byte-source.ts'
import { exportedKeys } from '../../../formats/exported-keys.ts'
import { createFileNamer, sanitiseKey } from '../../../formats/file-names.ts'
import { zipFiles } from '../../../formats/zip-files.ts'
import { createBreather } from '../../../pacing/breather.ts'
import { type ExportStore, writeSession } from './write-picoclaw-session.ts'

export interface ExportPicoClawOptions {
  readonly keys?: readonly string[]
  readonly as?: 'files' | 'zip'
  readonly signal?: AbortSignal
}

/**
 * Writes sessions exactly in PicoClaw's form: `<name>.jsonl` and `<name>.meta.json`. The name is PicoClaw's. Of several
 * keys with the same name (`a:b`, `a/b`), the first gets it, preferably the key that equals its name. For the others a
 * hash is appended; the key is in the metadata.
 *
 * @throws SessionNotFound for a key of `keys`; Aborted
 */
export async function* exportPicoClaw(
  store: ExportStore,
  { keys, as = 'files', signal }: ExportPicoClawOptions = {},
): AsyncGenerator<SourceFile, void, undefined> {
  const files = writeFiles(store, keys, signal)
  if (as === 'zip') yield { path: 'picoclaw-sessions.zip', blob: await zipFiles(files) }
  else yield* files
}

async function* writeFiles(
  store: ExportStore,
  asked: readonly string[] | undefined,
  signal: AbortSignal | undefined,
): AsyncGenerator<SourceFile, void, undefined> {
  const breathe = createBreather()
  const keys = await exportedKeys(store, asked)
  const nameOf = createFileNamer()
  const isOwnName = (key: string): boolean => sanitiseKey(key) === key
  const names = new Map(
    keys
      .toSorted((a, b) => Number(isOwnName(b)) - Number(isOwnName(a)) || (a < b ? -1 : 1))
      .map((key) => [key, nameOf(key)]),
  )
  for (const [key, name] of names) {
    for await (const file of writeSession(store, key, name, breathe)) {
      if (signal?.aborted) throw abortError('export')
      yield file
    }
  }
}
