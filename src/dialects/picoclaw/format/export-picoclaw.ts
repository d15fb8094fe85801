import type { SourceFile } from '../../../contract/job.ts'
import { abortError } from '../../../formats/byte-source.ts'
import { createExportBreather } from '../../../formats/export-breather.ts'
import type { ExportOptions } from '../../../formats/export-sessions.ts'
import { exportedKeys } from '../../../formats/exported-keys.ts'
import { createFileNamer, sanitiseKey } from '../../../formats/file-names.ts'
import { zipFiles } from '../../../formats/zip-files.ts'
import { type ExportStore, writeSession } from './write-picoclaw-session.ts'

/**
 * Writes sessions exactly in PicoClaw's form: `<name>.jsonl` and `<name>.meta.json`. The name is PicoClaw's. Of several
 * keys with the same name (`a:b`, `a/b`), the first gets it, preferably the key that equals its name. For the others a
 * hash is appended; the key is in the metadata.
 *
 * @throws SessionNotFound for a key of `keys`; Aborted
 */
export async function* exportPicoClaw(
  store: ExportStore,
  options: ExportOptions = {},
): AsyncGenerator<SourceFile, void, undefined> {
  const files = writeFiles(store, options)
  if (options.as === 'zip') yield { path: 'picoclaw-sessions.zip', blob: await zipFiles(files, options.signal) }
  else yield* files
}

async function* writeFiles(
  store: ExportStore,
  { keys: asked, signal, onProgress }: ExportOptions,
): AsyncGenerator<SourceFile, void, undefined> {
  const breathe = createExportBreather(signal)
  const keys = await exportedKeys(store, asked)
  const nameOf = createFileNamer()
  const isOwnName = (key: string): boolean => sanitiseKey(key) === key
  const names = new Map(
    keys
      .toSorted((a, b) => Number(isOwnName(b)) - Number(isOwnName(a)) || (a < b ? -1 : 1))
      .map((key) => [key, nameOf(key)]),
  )
  let [sessions, bytes] = [0, 0]
  for (const [key, name] of names) {
    for await (const file of writeSession(store, key, name, { breathe, signal })) {
      if (signal?.aborted) throw abortError('export')
      bytes += file.blob.size
      yield file
    }
    onProgress?.({ sessions: ++sessions, totalSessions: names.size, bytes })
  }
}
