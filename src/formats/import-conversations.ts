import { isSessionError, type SessionError } from '../contract/errors.ts'
import type { Breather } from '../pacing/breather.ts'
import { abortError } from './byte-source.ts'
import { readChatGpt } from './chatgpt/read-chatgpt-conversation.ts'
import { readClaude } from './claude/read-claude-conversation.ts'
import { createClaudeCodeReader } from './claude-code/read-claude-code-log.ts'
import type { Conversation, ConversationDialect } from './conversation/conversation.ts'
import { createOpeningIds, type OpeningIds } from './conversation/opening-ids.ts'
import { type ConversationStore, storeConversation } from './conversation/store-conversation.ts'
import { createSizeGuard } from './create-size-guard.ts'
import { recognise } from './dialect.ts'
import type { ForeignFile } from './foreign-files.ts'
import { readOpenWebUi } from './open-webui/read-open-webui-conversation.ts'
import { readOpenAi } from './openai/read-openai-conversation.ts'
import { readValues } from './read-file-values.ts'
import { readShareGpt } from './sharegpt/read-sharegpt-conversation.ts'
import type { FileForm } from './survey-file.ts'

/** A conversation that was stored. */
interface TakenConversation {
  readonly key: string
  readonly dialect: ConversationDialect
  readonly title?: string
  readonly added: number
  readonly known: number
}

export interface ImportConversationsOptions {
  readonly store: ConversationStore
  readonly dialect: ConversationDialect
  readonly form: FileForm
  readonly breathe: Breather
  readonly signal: AbortSignal | undefined
  readonly onRead: (bytes: number) => void
  readonly onTaken: (taken: TakenConversation) => void
  readonly skip: (line: number, reason: string) => void
  /** Called for a conversation that was left out as a whole. */
  readonly leaveOut: (error: SessionError) => void
  /** Called for a session that was deleted here, and stays so. */
  readonly leaveDeleted: (key: string) => void
}

/** The readers of dialects in which a conversation is one JSON value. */
const readers: Readonly<
  Record<
    Exclude<ConversationDialect, 'claude-code'>,
    (value: Readonly<Record<string, unknown>>, ids: OpeningIds) => Conversation
  >
> = {
  chatgpt: readChatGpt,
  claude: readClaude,
  'open-webui': readOpenWebUi,
  sharegpt: readShareGpt,
  openai: readOpenAi,
}

/**
 * Reads the conversations of one file and stores each before it reads the next. If a whole file is one conversation
 * (messages, a log), its messages are kept in memory, but not its text; one that is too large is left out.
 *
 * @throws Aborted, InvalidInput when the file can't be read, TooLarge when it is one conversation that does not fit
 * into memory
 */
export async function importConversations(file: ForeignFile, options: ImportConversationsOptions): Promise<void> {
  const { dialect, form, breathe, signal, onRead, skip, leaveOut } = options
  const ids = createOpeningIds()
  const hasLines = form === 'lines' || form === 'lines of messages'
  const isOfMessages = form === 'messages' || form === 'lines of messages'
  const isWanted = (value: Readonly<Record<string, unknown>>): boolean => {
    // Logs have lines of many kinds. Their reader handles them.
    if (dialect === 'claude-code') return true
    const found = recognise(value, hasLines)
    return isOfMessages ? found?.part === 'message' : found?.dialect === dialect && found.part === 'whole'
  }
  const messages: unknown[] = []
  const hold = createSizeGuard()
  const log = createClaudeCodeReader(leaveOut)
  for await (const { value, line, place, bytes } of readValues(file, { hasLines, isWanted, signal, onRead, skip })) {
    if (isOfMessages) {
      hold(bytes)
      messages.push(value)
    } else if (dialect === 'claude-code') {
      const problem = log.take(value, line, bytes)
      if (problem !== undefined) skip(line, problem)
    } else await take(() => readers[dialect](value, ids), line, place)
    const pause = breathe()
    if (pause !== undefined) await pause
    if (signal?.aborted) throw abortError()
  }
  if (isOfMessages) await take(() => readOpenAi({ messages }, ids), 0, '')
  for (const conversation of log.end())
    await take(() => conversation, 0, `session ${JSON.stringify(conversation.sourceId)}: `)

  async function take(read: () => Conversation, line: number, place: string): Promise<void> {
    let conversation: Conversation
    try {
      conversation = read()
    } catch (error) {
      if (!isSessionError(error)) throw error
      return skip(line, `${place}${error.message}`)
    }
    const stored = await storeConversation(conversation, {
      ...options,
      skip: (reason, at = line) => skip(at, at === line ? `${place}${reason}` : reason),
    })
    const { title } = conversation
    if (stored !== undefined)
      options.onTaken({
        ...stored,
        dialect: conversation.dialect,
        ...(title === undefined || title === '' ? {} : { title }),
      })
  }
}
