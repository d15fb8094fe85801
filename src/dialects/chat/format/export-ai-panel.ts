import type { SourceFile } from '../../../contract/job.ts'
import type { JsonObject } from '../../../contract/json.ts'
import type { SessionStore } from '../../../contract/store/session-store.ts'
import { type ExportOptions, type ExportStore, exportSessions } from '../../../formats/export-sessions.ts'
import { createFileNamer } from '../../../formats/file-names.ts'
import { goJson } from '../../../formats/go-json.ts'
import { readEntries } from '../../../formats/read-log-entries.ts'
import { createTextBlob } from '../../../formats/text-blob.ts'
import { aiPanelSession } from './write-ai-panel-session.ts'

/** A directory of one agent. */
interface Agent {
  readonly name: string
  readonly nameOf: (id: string) => string
  readonly rows: Map<string, JsonObject>
}

/**
 * Writes sessions in the form in which ai-panel stores them: `agents/<agent>/sessions/<session>.jsonl` with the current
 * line of each, and at the end `sessions.json` in the same folder. The name of the file is the session's id, so that an
 * id that can't be a file name is replaced. The agent of a session without one is `main`.
 *
 * @throws SessionNotFound for a key of `keys`; Aborted
 */
export function exportAiPanel(
  store: ExportStore & Pick<SessionStore, 'changes'>,
  options: ExportOptions = {},
): AsyncGenerator<SourceFile, void, undefined> {
  const agents = new Map<string, Agent>()
  const agentName = createFileNamer()
  return exportSessions(
    store,
    options,
    'ai-panel-sessions.zip',
    async function* (meta, breathe) {
      const agentId = meta.agentId ?? 'main'
      const agent = agents.get(agentId) ?? {
        name: agentName(agentId),
        nameOf: createFileNamer(),
        rows: new Map<string, JsonObject>(),
      }
      agents.set(agentId, agent)
      const id = agent.nameOf(meta.id)
      const { lines, messageCount } = aiPanelSession(meta, agentId, await readEntries(store, meta.key, options.signal))
      const text = createTextBlob('application/jsonl')
      for (const line of lines) {
        text.write(`${goJson(line)}\n`)
        const pause = breathe()
        if (pause !== undefined) await pause
      }
      const { title, createdAt, updatedAt: lastAt, tokenEstimate } = meta
      agent.rows.set(id, {
        id,
        agentId,
        filePath: `${id}.jsonl`,
        title,
        messageCount,
        createdAt,
        lastAt,
        tokenEstimate,
      })
      yield { path: `agents/${agent.name}/sessions/${id}.jsonl`, blob: text.blob() }
    },
    async function* () {
      for (const { name, rows } of agents.values()) {
        const sessions = Object.fromEntries([...rows].sort(([a], [b]) => (a < b ? -1 : 1)))
        yield {
          path: `agents/${name}/sessions/sessions.json`,
          blob: new Blob([goJson({ sessions }, 2)], { type: 'application/json' }),
        }
      }
    },
  )
}
