import type { SourceFile } from '../../../contract/job.ts'
import type { SessionStore } from '../../../contract/store/session-store.ts'
import { type ExportOptions, type ExportStore, exportSessions } from '../../../formats/export-sessions.ts'
import { createFileNamer } from '../../../formats/file-names.ts'
import { readEntries } from '../../../formats/read-log-entries.ts'
import { createTextBlob } from '../../../formats/text-blob.ts'
import { isoStart, isoText } from '../../../formats/time.ts'
import { writeLog } from './write-pi-log.ts'

/**
 * Writes sessions as logs of pi, version 3, each with all its branches: `<time>_<id>.jsonl`. An imported log is
 * exported with the same ids, parents and content, and gives the same context at every entry. Entries that no view
 * shows (cut, removed, on a deleted branch) are left out.
 *
 * @throws SessionNotFound for a key of `keys`; Aborted
 */
export function exportPi(
  store: ExportStore & Pick<SessionStore, 'changes'>,
  options: ExportOptions = {},
): AsyncGenerator<SourceFile, void, undefined> {
  const nameOf = createFileNamer()
  return exportSessions(store, options, 'pi-sessions.zip', async function* (meta, breathe) {
    const text = createTextBlob('application/jsonl')
    for (const line of writeLog(meta, await readEntries(store, meta.key, options.signal))) {
      text.write(`${JSON.stringify(line)}\n`)
      const pause = breathe()
      if (pause !== undefined) await pause
    }
    const time = (isoText(meta.createdAt) ?? isoStart).replace(/[:.]/g, '-')
    yield { path: `${nameOf(`${time}_${meta.id}`)}.jsonl`, blob: text.blob() }
  })
}
