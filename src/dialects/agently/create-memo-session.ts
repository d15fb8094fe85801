import { runAlone } from '../../client/context/run-alone.ts'
import type { EntryReceipt, MessageInput } from '../../contract/entry.ts'
import { SessionError } from '../../contract/errors.ts'
import type { JsonObject } from '../../contract/json.ts'
import type { Message } from '../../contract/message.ts'
import { isObject } from '../../domain/is-object.ts'
import { createChangeInTurn } from './memo/change-in-turn.ts'
import { changeSettings, settingsAt, settingsOf } from './memo/change-settings.ts'
import { lookAtSession, readMemoMeta } from './memo/look-at-session.ts'
import type { MemoTools } from './memo/memo-tools.ts'
import { readMessages } from './memo/read-messages.ts'
import { replaceHistory } from './memo/replace-history.ts'
import { judgeSession, runResize } from './memo/run-resize.ts'
import type { MemoConfiguration, MemoSession, MemoSessionOptions, ResizeHandler } from './memo-types.ts'
import { mergeSettings } from './rules/memo-settings.ts'
import type { MemoSettings } from './rules/memo-state.ts'

/**
 * Gives a session a current view that is resized by policy, and a memo.
 *
 * @example
 * const memoSession = createMemoSession({ store, key: 'ses-1', model: updateMemoWithMyModel })
 * await memoSession.useMemo({ limit: { messages: 20 } })
 *
 * Source: AgentlyMemoSession
 */
export function createMemoSession(options: MemoSessionOptions): MemoSession {
  const { store, resizeHandlers, parentSettings = {}, timeoutMs = 90_000 } = options
  const handle = 'session' in options ? options.session : undefined
  const key = 'session' in options ? options.session.key : options.key
  const parent: MemoSettings = isObject(parentSettings['session']) ? parentSettings['session'] : {}
  const handlers = new Map<string, ResizeHandler | 'default'>(
    resizeHandlers === undefined
      ? [
          ['lite', 'default'],
          ['deep', 'default'],
        ]
      : Object.entries(resizeHandlers),
  )
  let { policyHandler: policy, attachmentSummaryHandler: attachmentSummary, memoUpdateHandler: memoUpdate } = options
  const alone = { store, key, name: options.name }
  const inTurn = createChangeInTurn(alone)

  const isMemoLeft = options.withoutUpdater === 'leave'
  const tools = (): MemoTools => ({
    isMemoLeft,
    store,
    key,
    parent,
    timeoutMs,
    policy,
    attachmentSummary,
    memoUpdate,
    model: options.model,
    handlerOf: (type) => handlers.get(type),
    inTurn,
  })
  const appendAll = async (messages: readonly Message[]): Promise<readonly EntryReceipt[]> => {
    for (const message of messages) checkMessage(message)
    if (messages.length === 0) return []
    const entries = messages.map((message): MessageInput => ({ type: 'message', message }))
    return (await (handle === undefined ? store.append(key, entries) : handle.appendAll(entries))).entries
  }
  const change = async (over: MemoSettings): Promise<MemoSession> => {
    await inTurn(() => changeSettings(store, key, over))
    return session
  }
  const configure = (configuration: MemoConfiguration): Promise<MemoSession> => change(settingsOf(configuration))
  const replace = async (messages: readonly Message[]): Promise<MemoSession> => {
    for (const message of messages) checkMessage(message)
    await runAlone(alone, undefined, () => replaceHistory(store, key, messages, inTurn))
    return session
  }

  const session: MemoSession = {
    key,
    store,
    fullHistory: ({ signal } = {}) => readMessages(store, key, signal),
    currentHistory: async ({ signal } = {}) => (await lookAtSession(store, key, parent, signal)).current,
    memo: async (): Promise<JsonObject> => (await readMemoMeta(store, key)).memo,
    appendMessage: async (message) => (await appendAll([message]))[0]!,
    judgeResize: (force = false, given = {}) => judgeSession(tools(), force, given),
    resize: (force = false, given = {}) => runAlone(alone, given.signal, () => runResize(tools(), force, given)),
    configure,
    setLimit: (limit) => configure({ limit }),
    useLite: (configuration) => configure({ ...configuration, mode: 'lite' }),
    useMemo: (configuration) => configure({ ...configuration, mode: 'memo' }),
    setSettings: async (path, value) => change(settingsAt(path, value)),
    settings: async () => mergeSettings(parent, (await readMemoMeta(store, key)).state.settings),
    setChatHistory: replace,
    addChatHistory: async (messages, given = {}) => {
      await appendAll(isList(messages) ? messages : [messages])
      await session.resize(false, given)
      return session
    },
    resetChatHistory: () => replace([]),
    setPolicyHandler: (handler) => {
      policy = handler
      return session
    },
    setResizeHandlers: (type, handler) => {
      handlers.set(type, handler)
      return session
    },
    setAttachmentSummaryHandler: (handler) => {
      attachmentSummary = handler
      return session
    },
    setMemoUpdateHandler: (handler) => {
      memoUpdate = handler
      return session
    },
  }
  return session
}

const isList = (messages: Message | readonly Message[]): messages is readonly Message[] => Array.isArray(messages)

/** @throws InvalidInput where AgentlyMemoSession raises a KeyError */
function checkMessage(message: Message): void {
  const given: unknown = message
  const missing = ['role', 'content'].filter((field) => !isObject(given) || given[field] === undefined)
  if (missing.length > 0)
    throw new SessionError(
      'InvalidInput',
      `A message of a memo session needs role and content; ${missing.join(' and ')} ${missing.length > 1 ? 'are' : 'is'} missing.`,
    )
}
