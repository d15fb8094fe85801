import type { SourceFile } from '../contract/job.ts'
import type { JsonObject } from '../contract/json.ts'
import type { SessionMeta } from '../contract/meta.ts'
import type { SessionStore } from '../contract/store/session-store.ts'
import type { Breather } from '../pacing/breather.ts'
import { type ExportOptions, type ExportStore, exportSessions } from './export-sessions.ts'
import { createFileNamer } from './file-names.ts'
import { openAiMessages } from './openai/write-messages.ts'
import { readView } from './read-view.ts'
import { createTextBlob } from './text-blob.ts'

export interface ExportOpenAiOptions extends ExportOptions {
  /**
   * `json` (default): a list of messages for each session. `jsonl`: one file with a line `{"messages": […]}` for each
   * session.
   */
  readonly format?: 'json' | 'jsonl'
  /**
   * The view of the current line: everything a user can scroll to (`transcript`, default), or the messages that a model
   * gets (`context`), after the summary.
   */
  readonly view?: 'transcript' | 'context'
}

/**
 * Writes the current line of sessions as messages of OpenAI's chat API.
 *
 * @throws SessionNotFound for a key of `keys`; Aborted
 */
export function exportOpenAi(
  store: ExportStore & Pick<SessionStore, 'read'>,
  options: ExportOpenAiOptions = {},
): AsyncGenerator<SourceFile, void, undefined> {
  const { format = 'json', view = 'transcript', signal } = options
  const nameOf = createFileNamer()
  const together = createTextBlob('application/jsonl')

  async function* messagesOf(
    { key, head, summary }: SessionMeta,
    breathe: Breather,
  ): AsyncGenerator<JsonObject, void, undefined> {
    if (view === 'context') {
      if (summary.trim() !== '') yield { role: 'system', content: summary }
      const { hidden } = await store.read(key, { branch: head, view, after: '', limit: 1 })
      for (const message of hidden?.messages ?? []) yield* openAiMessages(message)
    }
    for await (const { message } of readView(store, key, { branch: head, view, signal })) {
      if (message !== undefined) yield* openAiMessages(message)
      const pause = breathe()
      if (pause !== undefined) await pause
    }
  }

  return exportSessions(
    store,
    options,
    'openai-messages.zip',
    async function* (meta, breathe) {
      const text = format === 'json' ? createTextBlob('application/json') : together
      let before = format === 'json' ? '[\n' : '{"messages":['
      for await (const message of messagesOf(meta, breathe)) {
        text.write(`${before}${JSON.stringify(message)}`)
        before = format === 'json' ? ',\n' : ','
      }
      const hasMessages = before.startsWith(',')
      if (format === 'jsonl') {
        if (hasMessages) text.write(']}\n')
        return
      }
      text.write(hasMessages ? '\n]\n' : '[]\n')
      yield { path: `${nameOf(meta.key)}.json`, blob: text.blob() }
    },
    async function* () {
      if (format === 'jsonl') yield { path: 'openai-messages.jsonl', blob: together.blob() }
    },
  )
}
