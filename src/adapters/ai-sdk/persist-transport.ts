import type { Session } from '../../client/session-contract.ts'
import type { DraftView } from '../../contract/change.ts'
import { createWriteQueue } from '../write-queue.ts'
import { type ChatState, chatStateOf } from './chat-state.ts'
import { forModel } from './message-files.ts'
import { type ChatRequest, placeReply } from './place-reply.ts'
import { type ReplyRecorder, recordReply, recordStream } from './record-reply.ts'
import type { AnyTransport, Fields } from './ui-message.ts'

export interface PersistOptions {
  /**
   * Told of each write that failed; the chat goes on. The write is kept, and is done again before the next one and by
   * `retry`, if that can mend it (`QuotaExceeded`, `WorkerLost`, `StorageUnavailable`, `UpgradeBlocked`). Absent: the
   * request fails, and the chat has the error.
   */
  readonly onError?: (error: unknown) => void
}

/** A transport that stores what goes through it. It fits wherever the transport that it wraps does. */
export interface PersistentTransport<T extends AnyTransport> {
  readonly sendMessages: T['sendMessages']
  /** Follows a reply that another tab streams at this moment into the shown version; `null` when there is none. */
  readonly reconnectToStream: T['reconnectToStream']
  readonly resumeStreamIsReplay: true
  /** Keeps what arrived of replies that are being streamed, and ends the object URLs of `loadChat`. */
  close(): void
  /** Does the writes that failed once more, in their order. @throws the error of the first that fails again */
  retry(): Promise<void>
}

/**
 * Stores a chat in a session while it goes through a transport of the AI SDK.
 *
 * - A message is stored before it is sent. A reply is journalled while it arrives, under the id that the chat has for it,
 *   and stored as one message at its end. When a reply was stopped or cut off, what arrived is stored, with
 *   `interrupted: true`.
 * - `regenerate` and the editing of a message open a branch: earlier replies and versions stay (`chatBranches`).
 * - `resumeStream` follows a reply that another tab streams at this moment.
 * - Outputs of tools and answers to approvals are stored with the next request.
 *
 * @example
 * const transport = persistTransport(new DefaultChatTransport({ api: '/api/chat' }), session, { onError: showError })
 */
export function persistTransport<T extends AnyTransport>(
  inner: T,
  session: Session<object>,
  { onError }: PersistOptions = {},
): PersistentTransport<T> {
  const state = chatStateOf(session)
  const writes = createWriteQueue(onError)
  const open = new Set<ReplyRecorder>()

  async function sendMessages(request: ChatRequest): Promise<ReadableStream<Fields>> {
    const place = placeReply(session, state, request)
    await writes.run(place.store)
    const reply = recordReply(place, state.files, writes)
    open.add(reply)
    const end: ReplyRecorder['end'] = (isCut) => reply.end(isCut).finally(() => open.delete(reply))
    try {
      await reply.announce()
      const sent = { ...request, messages: await forModel(request.messages, state.files) }
      const source = await inner.sendMessages(sent as never)
      return recordStream(source as ReadableStream<Fields>, { ...reply, end })
    } catch (error) {
      // Why it could not be asked for says more than why the announcement could not be taken back.
      await end(true).catch(() => undefined)
      throw error
    }
  }
  async function reconnectToStream(options: { readonly abortSignal?: AbortSignal }) {
    const draft = await findDraft(session, state)
    if (draft === undefined) return null
    // Few pages are opened while another tab streams a reply.
    const { followDraft } = await import('./follow-draft.ts')
    return followDraft(session, draft, state.files, options.abortSignal)
  }
  return {
    sendMessages: sendMessages as unknown as T['sendMessages'],
    reconnectToStream: reconnectToStream as unknown as T['reconnectToStream'],
    resumeStreamIsReplay: true,
    close: () => {
      // The request of the reply waits for the same end, and fails with it.
      for (const reply of open) reply.end(true).catch(() => undefined)
      state.files.revoke()
      inner.close?.()
    },
    retry: writes.retry,
  }
}

/** The newest reply that is being streamed into the line that the chat shows. */
async function findDraft(session: Session<object>, { line }: ChatState): Promise<DraftView | undefined> {
  const drafts = (await session.store.listDrafts(session.key)).filter(({ mid }) => mid !== undefined)
  if (drafts.length === 0) return undefined
  const shown = line ?? (await session.page({ last: 1 })).branch
  for (const draft of drafts.toReversed()) {
    const { branch, resumes } = draft
    if (branch === shown && resumes === undefined) return draft
    if (resumes === undefined) continue
    // `!` sorts behind the order itself and before every later one.
    const { entries } = await session.page({ branch: shown, before: `${resumes.order}!`, limit: 1 })
    if (entries[0]?.order === resumes.order && entries[0].branch === resumes.branch) return draft
  }
  return undefined
}
