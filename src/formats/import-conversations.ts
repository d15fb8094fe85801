import { isSessionError, type SessionError } from '../contract/errors.ts'
import type { Breather } from '../pacing/breather.ts'
import { readAiSdk } from './ai-sdk/read-ai-sdk-chat.ts'
import { readBetterChatGpt } from './better-chatgpt/read-better-chatgpt-export.ts'
import { abortError } from './byte-source.ts'
import { readChatGpt } from './chatgpt/read-chatgpt-conversation.ts'
import { readClaude } from './claude/read-claude-conversation.ts'
import { createClaudeCodeReader } from './claude-code/read-claude-code-log.ts'
import { createCodexReader } from './codex/read-codex-log.ts'
import type { Conversation, ConversationDialect } from './conversation/conversation.ts'
import { createOpeningIds, type OpeningIds } from './conversation/opening-ids.ts'
import { type ConversationStore, storeConversation } from './conversation/store-conversation.ts'
import { createSizeGuard } from './create-size-guard.ts'
import { recognise } from './dialect.ts'
import type { ForeignFile } from './foreign-files.ts'
import { readAiStudio } from './gemini/read-ai-studio-prompt.ts'
import { readGeminiCli } from './gemini/read-gemini-cli-session.ts'
import { readGrok } from './grok/read-grok-export.ts'
import { createJanReader } from './jan/read-jan-messages.ts'
import { readLibreChat } from './librechat/read-librechat-conversation.ts'
import { readLmStudio } from './lm-studio/read-lm-studio-conversation.ts'
import type { LogReader } from './log-reader.ts'
import { readNextChat } from './nextchat/read-nextchat-state.ts'
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

/** The readers of dialects whose files are logs. */
const logReaders = {
  'claude-code': createClaudeCodeReader,
  codex: createCodexReader,
  jan: createJanReader,
} satisfies Partial<Record<ConversationDialect, (leaveOut: (error: SessionError) => void) => LogReader>>

const isLog = (dialect: ConversationDialect): dialect is keyof typeof logReaders => Object.hasOwn(logReaders, dialect)

/** The readers of dialects in which a JSON value is a conversation, or has several. */
const readers: Readonly<
  Record<
    Exclude<ConversationDialect, keyof typeof logReaders>,
    (value: Readonly<Record<string, unknown>>, ids: OpeningIds) => Conversation | readonly Conversation[]
  >
> = {
  chatgpt: readChatGpt,
  claude: readClaude,
  'open-webui': readOpenWebUi,
  'gemini-cli': readGeminiCli,
  'ai-studio': readAiStudio,
  grok: readGrok,
  librechat: readLibreChat,
  'lm-studio': readLmStudio,
  nextchat: readNextChat,
  'better-chatgpt': readBetterChatGpt,
  sharegpt: readShareGpt,
  'ai-sdk': readAiSdk,
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
    if (isLog(dialect)) return true
    const found = recognise(value, hasLines)
    return isOfMessages ? found?.part === 'message' : found?.dialect === dialect && found.part === 'whole'
  }
  const messages: unknown[] = []
  const hold = createSizeGuard()
  const log = isLog(dialect) ? logReaders[dialect](leaveOut) : undefined
  for await (const { value, line, place, bytes } of readValues(file, { hasLines, isWanted, signal, onRead, skip })) {
    if (isOfMessages) {
      hold(bytes)
      messages.push(value)
    } else if (isLog(dialect)) {
      const problem = log?.take(value, line, bytes)
      if (problem !== undefined) skip(line, problem)
    } else await takeAll(() => readers[dialect](value, ids), line, place)
    const pause = breathe()
    if (pause !== undefined) await pause
    if (signal?.aborted) throw abortError()
  }
  if (isOfMessages && !isLog(dialect)) await takeAll(() => readers[dialect]({ messages }, ids), 0, '')
  for (const conversation of log?.end() ?? [])
    await take(conversation, 0, `session ${JSON.stringify(conversation.sourceId)}: `)

  async function takeAll(read: () => Conversation | readonly Conversation[], line: number, place: string) {
    let found: Conversation | readonly Conversation[]
    try {
      found = read()
    } catch (error) {
      if (!isSessionError(error)) throw error
      return skip(line, `${place}${error.message}`)
    }
    for (const conversation of [found].flat()) await take(conversation, line, place)
  }

  async function take(conversation: Conversation, line: number, place: string): Promise<void> {
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
