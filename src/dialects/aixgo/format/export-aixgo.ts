import { isSessionError } from '../../../contract/errors.ts'
import type { SourceFile } from '../../../contract/job.ts'
import type { JsonObject } from '../../../contract/json.ts'
import type { SessionStore } from '../../../contract/store/session-store.ts'
import { type ExportOptions, type ExportStore, exportSessions } from '../../../formats/export-sessions.ts'
import { goJson } from '../../../formats/go-json.ts'
import { readEntries } from '../../../formats/read-log-entries.ts'
import { createTextBlob } from '../../../formats/text-blob.ts'
import { aixgoSession } from './write-aixgo-session.ts'

export interface ExportAixgoOptions extends ExportOptions {
  /**
   * Called for a session whose names can't be part of a path, and which is left out. If this is absent, such a session
   * ends the export.
   */
  readonly onLeftOut?: (key: string, reason: string) => void
}

/**
 * Writes sessions in the form in which Aixgo stores them: `<agent>/<session>.jsonl` with all branches,
 * `<agent>/checkpoints/<id>.json` with the checksum that Aixgo computes, and at the end `<agent>/sessions.json`. The
 * agent of a session without one is `main`.
 *
 * @throws SessionNotFound for a key of `keys`; InvalidPathComponent when an agent's name or a session's id contains
 * `/`, `\` or `..`, which Aixgo refuses; Aborted
 */
export function exportAixgo(
  store: ExportStore & Pick<SessionStore, 'changes'>,
  options: ExportAixgoOptions = {},
): AsyncGenerator<SourceFile, void, undefined> {
  const indexes = new Map<string, Map<string, JsonObject>>()
  return exportSessions(
    store,
    options,
    'aixgo-sessions.zip',
    async function* (meta, breathe) {
      const entries = await readEntries(store, meta.key, options.signal)
      try {
        const { agentName, id, row, lines, checkpoints } = aixgoSession(meta, entries)
        const rows = indexes.get(agentName) ?? new Map<string, JsonObject>()
        indexes.set(agentName, rows.set(id, row))
        const text = createTextBlob('application/jsonl')
        for (const line of lines) {
          text.write(line)
          const pause = breathe()
          if (pause !== undefined) await pause
        }
        yield { path: `${agentName}/${id}.jsonl`, blob: text.blob() }
        for (const [checkpoint, said] of checkpoints)
          yield {
            path: `${agentName}/checkpoints/${checkpoint}.json`,
            blob: new Blob([said], { type: 'application/json' }),
          }
      } catch (error) {
        if (options.onLeftOut === undefined || !isSessionError(error, 'InvalidPathComponent')) throw error
        options.onLeftOut(meta.key, error.message)
      }
    },
    async function* () {
      for (const [agentName, rows] of indexes) {
        const index = Object.fromEntries([...rows].sort(([a], [b]) => (a < b ? -1 : 1)))
        yield { path: `${agentName}/sessions.json`, blob: new Blob([goJson(index, 2)], { type: 'application/json' }) }
      }
    },
  )
}
