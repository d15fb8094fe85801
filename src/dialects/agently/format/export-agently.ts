import { SessionError } from '../../../contract/errors.ts'
import type { JobProgress, SourceFile } from '../../../contract/job.ts'
import type { JsonObject, JsonValue } from '../../../contract/json.ts'
import type { SessionStore } from '../../../contract/store/session-store.ts'
import { abortError } from '../../../formats/byte-source.ts'
import { createExportBreather } from '../../../formats/export-breather.ts'
import { type ExportOptions, type ExportStore, exportSessions } from '../../../formats/export-sessions.ts'
import { createFileNamer } from '../../../formats/file-names.ts'
import { asciiJson } from './ascii-json.ts'
import { asciiYaml } from './ascii-yaml.ts'
import { messageOf } from './message-names.ts'
import { readSession } from './read-memo-session.ts'

export interface ExportAgentlyOptions {
  readonly as?: 'json' | 'yaml'
  readonly signal?: AbortSignal
  /** Called after each message. */
  readonly onProgress?: (progress: JobProgress) => void
}

export interface ExportAgentlyStatesOptions extends ExportOptions {
  readonly format: 'json' | 'yaml'
}

/** Writes sessions in the export format of AgentlyMemoSession, one file for each. @throws SessionNotFound, Aborted */
export function exportAgentlyStates(
  store: ExportStore & Pick<SessionStore, 'read'>,
  { format, ...options }: ExportAgentlyStatesOptions,
): AsyncGenerator<SourceFile, void, undefined> {
  const nameOf = createFileNamer()
  const { signal, onProgress } = options
  let [written, sessions] = [0, 0]
  return exportSessions(store, options, 'agently-sessions.zip', async function* ({ key, id }) {
    const file = await exportAgently(store, key, {
      as: format,
      ...(signal === undefined ? {} : { signal }),
      // Reports within a session too, because a single state may be long.
      onProgress: ({ readBytes }) => onProgress?.({ sessions, totalSessions: 0, bytes: written + readBytes }),
    })
    written += file.blob.size
    sessions += 1
    yield { path: `${nameOf(id)}.${format}`, blob: file.blob }
  })
}

/** Characters in a part of the file. A blob is built faster from few parts. */
const partLength = 256 * 1024

/**
 * Writes a session in the export format of AgentlyMemoSession: its head line, the part of it that a model gets, its
 * memo, its own settings below `session` (an agent's settings may contain secrets), and its counters. The format has no
 * place for a summary, which is left out.
 *
 * @throws SessionNotFound, InvalidInput, Aborted
 */
export async function exportAgently(
  store: Pick<SessionStore, 'read' | 'getMeta' | 'resolveSessionKey'>,
  keyOrAlias: string,
  options: ExportAgentlyOptions = {},
): Promise<SourceFile> {
  const { as = 'json', signal, onProgress } = options
  if (as !== 'json' && as !== 'yaml')
    throw new SessionError(
      'InvalidInput',
      `A session can be exported for Agently as 'json' or 'yaml', but not as ${JSON.stringify(as)}.`,
    )
  const breathe = createExportBreather(signal)
  const key = await store.resolveSessionKey(keyOrAlias)
  const now = await readSession(store, key, breathe, signal)
  if (now === undefined)
    throw new SessionError(
      'SessionNotFound',
      `There is no session "${keyOrAlias}" to export. See listSessions() for the existing sessions.`,
    )
  const { meta, state, full, current, turns, memoCursor } = now
  const fields = {
    id: meta.id,
    memo: meta.memo,
    full_chat_history: full.map(messageOf),
    current_chat_history: current,
    settings: Object.keys(state.settings).length === 0 ? {} : { session: state.settings },
    turns,
    last_resize_turn: state.lastResizeTurn,
    memo_cursor: memoCursor,
  }
  const parts: string[] = []
  let part = ''
  let readBytes = 0
  let entries = 0
  const write = as === 'json' ? jsonOf : yamlOf
  for (const text of write(fields, () => (entries += 1))) {
    if (signal?.aborted) throw abortError('export')
    part += text
    readBytes += text.length
    if (part.length >= partLength) part = (parts.push(part), '')
    onProgress?.({ readBytes, totalBytes: 0, entries, skipped: 0 })
    const pause = breathe()
    if (pause !== undefined) await pause
  }
  const blob = new Blob([...parts, part], { type: `application/${as}` })
  return { path: `${createFileNamer()(meta.id)}.${as}`, blob }
}

/**
 * Yields the text of a file in pieces, one for each message, so that other work can run in between.
 *
 * @param onMessage - called with each message
 */
type Writer = (fields: JsonObject, onMessage: () => void) => Generator<string, void, undefined>

const jsonOf: Writer = function* (fields, onMessage) {
  let before = '{'
  for (const [name, value] of Object.entries(fields)) {
    yield `${before}"${name}": `
    before = ', '
    if (isList(value)) {
      for (const [i, element] of value.entries()) {
        onMessage()
        yield `${i === 0 ? '[' : ', '}${asciiJson(element)}`
      }
      yield value.length === 0 ? '[]' : ']'
    } else yield asciiJson(value!)
  }
  yield '}'
}

const yamlOf: Writer = function* (fields, onMessage) {
  for (const name of Object.keys(fields).sort()) {
    const value = fields[name]!
    if (isList(value) && value.length > 0) {
      yield `${name}:\n`
      for (const element of value) {
        onMessage()
        yield asciiYaml([element])
      }
    } else yield asciiYaml({ [name]: value })
  }
}

const isList = (value: JsonValue | undefined): value is readonly JsonValue[] => Array.isArray(value)
