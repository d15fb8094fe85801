import type { EntryInput } from '../../contract/entry.ts'
import { isSessionError } from '../../contract/errors.ts'
import type { SessionStore } from '../../contract/store/session-store.ts'
import type { ChatRequest } from './check-chat-request.ts'
import { claimSession } from './claim-session.ts'
import { findSession } from './find-chat-session.ts'
import type { RunQueue } from './run-queue.ts'

/** The place where a message was stored. Other runs of its session wait until `release` is called. */
export interface StoredMessage {
  readonly key: string
  /** Whether the session was empty before. */
  readonly isFirst: boolean
  release(): void
}

export interface MessagePlace {
  readonly store: SessionStore
  readonly queue: RunQueue
  /** Draws a key for a new session. */
  drawKey(): Promise<string>
}

/**
 * Stores a user's message after the earlier runs: in the session that it names, which is created if it is missing, or
 * in a new one.
 * Source: ai-panel, `GetOrCreate`
 */
export function storeMessage(
  place: MessagePlace,
  agentId: string,
  { sessionId, message }: ChatRequest,
  signal: AbortSignal,
): Promise<StoredMessage> {
  const entries: readonly EntryInput[] = [{ type: 'message', message }]
  return sessionId === undefined
    ? storeInNew(place, agentId, entries, signal)
    : storeIn(place, agentId, sessionId, entries, signal)
}

async function storeIn(
  { store, queue }: MessagePlace,
  agentId: string,
  sessionId: string,
  entries: readonly EntryInput[],
  signal: AbortSignal,
): Promise<StoredMessage> {
  const asked = await findSession(store, agentId, sessionId)
  const key = asked?.key ?? (await store.resolveSessionKey(sessionId))
  const release = await queue.enter(key, signal)
  try {
    // Read again, because it may have changed during the wait.
    const found = await findSession(store, agentId, key)
    const isNew = found === undefined || found.deletedAt !== undefined
    await claimSession(store, agentId, key, found)
    // Turns the drafts of replies whose worker died into entries before this message.
    if (!isNew) await store.listDrafts(key)
    await store.append(key, entries, { onDeleted: 'refuse', durability: 'strict' })
    return { key, isFirst: isNew || found.messageCount === 0, release }
  } catch (error) {
    release()
    throw error
  }
}

async function storeInNew(
  { store, queue, drawKey }: MessagePlace,
  agentId: string,
  entries: readonly EntryInput[],
  signal: AbortSignal,
): Promise<StoredMessage> {
  for (;;) {
    const key = await drawKey()
    const release = await queue.enter(key, signal)
    try {
      await claimSession(store, agentId, key, undefined)
      await store.append(key, entries, { onDeleted: 'refuse', durability: 'strict', parent: '', onConflict: 'refuse' })
      return { key, isFirst: true, release }
    } catch (error) {
      release()
      // Another tab has drawn the same key, for this agent or another one.
      if (!isSessionError(error, 'ParentMoved') && !isSessionError(error, 'SessionNotFound')) throw error
    }
  }
}
