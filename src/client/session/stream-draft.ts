import type { DraftChunk } from '../../contract/change.ts'
import type { EntryReceipt } from '../../contract/entry.ts'
import { isSessionError, SessionError } from '../../contract/errors.ts'
import type { Message } from '../../contract/message.ts'
import type { DraftOptions } from '../../contract/store/session-drafts.ts'
import type { SessionStore } from '../../contract/store/session-store.ts'
import { drawId } from './draw-id.ts'

/** The stored draft of a reply that is being streamed. */
export interface StreamDraft {
  /** Rejects when the first attempt to open it failed. */
  readonly id: Promise<string>
  /** The same id, known before it is open. */
  readonly key: string
  /** Resolves when it is open. Tries again when it could not be opened: there may be space by now. */
  opened(): Promise<void>
  write(n: number, chunk: DraftChunk): Promise<void>
  /**
   * Stores the reply as an entry, in place of the draft. With an `operationId` that was used before, the entry of that
   * time is the result, and the draft is dropped.
   *
   * @throws SessionNotFound when the session was deleted while the reply grew, even if it was begun anew since
   */
  seal(message: Message, operationId?: string): Promise<EntryReceipt>
  drop(): Promise<void>
}

/** Opens a draft. */
export function createStreamDraft(store: SessionStore, key: string, options: Omit<DraftOptions, 'id'>): StreamDraft {
  const startedAt = Date.now()
  // The id is drawn here, so that opening can be repeated when it is unknown whether it succeeded. Drafts are listed in
  // the order of their ids.
  const draft = `${startedAt.toString(36).padStart(9, '0')}-${drawId()}`
  const open = (): Promise<string> => store.openDraft(key, { id: draft, ...options })
  const id = open()
  let opening: Promise<string> | undefined = id
  /** It is unknown whether the draft was sealed. */
  let maybeSealed = false

  async function opened(): Promise<void> {
    const attempt = (opening ??= open())
    try {
      await attempt
    } catch (error) {
      if (opening === attempt) opening = undefined
      throw error
    }
  }

  /**
   * Whether the session was deleted while the reply grew, and maybe begun anew. The store that opened the draft says so
   * itself; one in another worker, or in a database that was filled again, has never heard of it.
   */
  async function isSessionGone(): Promise<boolean> {
    const meta = await store.getMeta(key)
    return meta === undefined || meta.createdAt > startedAt
  }
  /**
   * Whether the store knows nothing of the draft although its session exists: a database that was lost and restored from
   * the mirror has no drafts.
   */
  async function isForgotten(): Promise<boolean> {
    return !(await store.listDrafts(key)).some((one) => one.id === draft)
  }

  const seal = (message: Message, operationId: string | undefined): Promise<EntryReceipt> =>
    store.sealDraft(key, draft, message, operationId === undefined ? undefined : { operationId })

  return {
    id,
    key: draft,
    opened,
    write: async (n, chunk) => {
      await opened()
      await store.writeDraft(key, draft, n, chunk)
    },
    seal: async (message, operationId) => {
      await opened()
      try {
        return await seal(message, operationId)
      } catch (error) {
        maybeSealed ||= isSessionError(error, 'WorkerLost')
        if (maybeSealed || !isSessionError(error, 'InvalidInput')) throw error
        if (await isSessionGone()) throw erasedMeanwhile(key)
        if (!(await isForgotten())) throw error
        await open()
        return seal(message, operationId)
      }
    },
    drop: async () => {
      try {
        await (opening ?? id)
      } catch {
        // Nothing was ever written to it. If it exists nevertheless, it is empty, and is removed with this page at the
        // latest.
        return store.dropDraft(key, draft).catch(() => undefined)
      }
      // The drafts of a session are deleted with it.
      return store.dropDraft(key, draft).catch(unlessDeleted)
    },
  }
}

/** What is under the key now is another session, which must not get this reply. */
const erasedMeanwhile = (key: string): SessionError =>
  new SessionError('SessionNotFound', `Session "${key}" was deleted while this reply arrived, and begun anew.`)

function unlessDeleted(error: unknown): void {
  if (!isSessionError(error, 'SessionNotFound')) throw error
}
