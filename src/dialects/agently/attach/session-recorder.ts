import type { Message } from '../../../contract/message.ts'
import { isObject } from '../../../domain/is-object.ts'
import type { MemoSession } from '../memo-types.ts'
import type { AttachOptions, ChatRequest, RecordedMessages, RecordPaths } from './attach-types.ts'
import type { SessionLog } from './attached-log.ts'
import { createStreamRecorder } from './create-stream-recorder.ts'
import type { StreamRecorder } from './record-stream.ts'
import { replyMessages } from './reply-messages.ts'

/** Stores what is said to an attached chat and what it answers. */
export interface SessionRecorder {
  append(messages: readonly Message[]): Promise<void>
  /** Which values of a request (`input`) or a reply (`output`) are stored. */
  pathsOf(side: 'input' | 'output'): Promise<RecordPaths>
  /** Stores a reply that arrived in one piece. */
  storeReply(request: ChatRequest, reply: unknown, output: RecordPaths): Promise<void>
  /** Tells the record handler, if there is one, of a request that failed. */
  storeFailure(request: ChatRequest): Promise<void>
  /**
   * Stores a streamed reply while it grows.
   *
   * @param onEnd - called at the end, whether the reply was stored or not
   */
  streamOf(request: ChatRequest, output: RecordPaths, onEnd: () => void): StreamRecorder
}

/** @param onError - called when a streamed reply can't be stored */
export function createSessionRecorder(
  log: SessionLog,
  memoSession: MemoSession | undefined,
  options: AttachOptions,
  onError: (error: unknown) => void,
): SessionRecorder {
  const { manager, recordHandler } = options
  const { key } = log

  const append = async (messages: readonly Message[]): Promise<void> => {
    await log.append(messages)
    for (const message of messages) await manager?.ingest(key, message)
  }
  const recordByHandler = async (
    request: ChatRequest,
    reply: { readonly reply?: unknown; readonly pieces?: readonly unknown[] },
    interrupted: boolean,
  ): Promise<void> => append(listOf(await recordHandler!({ request, ...reply, interrupted })))

  return {
    append,
    pathsOf: async (side) => {
      const record = (await memoSession?.settings())?.['record']
      const stored = isObject(record) && isObject(record[side]) ? (record[side] as RecordPaths) : {}
      return { ...stored, ...options.record?.[side] }
    },
    storeReply: async (request, reply, output) =>
      recordHandler === undefined ? append(replyMessages(reply, output)) : recordByHandler(request, { reply }, false),
    storeFailure: async (request) => (recordHandler === undefined ? undefined : recordByHandler(request, {}, true)),
    streamOf: (request, output, onEnd) =>
      createStreamRecorder({
        ...options,
        output,
        stream: recordHandler === undefined ? log.stream() : undefined,
        recordByHandler: (reply, pieces, isInterrupted) => recordByHandler(request, { reply, pieces }, isInterrupted),
        onKept: async (message) => manager?.ingest(key, message),
        onError,
        onEnd,
      }),
  }
}

/** The messages that were given, as a list. */
export function listOf(messages: RecordedMessages): readonly Message[] {
  if (messages === undefined || messages === null) return []
  return isList(messages) ? messages : [messages]
}

const isList = (messages: Message | readonly Message[]): messages is readonly Message[] => Array.isArray(messages)
