import type { SessionClient } from '../../client/client-contract.ts'
import { SessionError } from '../../contract/errors.ts'
import type { MetaPatch, SessionListing, SessionMeta } from '../../contract/meta.ts'
import type { ListQuery } from '../../contract/store/session-metadata.ts'
import { decodeValues, encodeValues } from '../encode-values.ts'
import { unless } from '../unless.ts'
import type { ListedThread, SessionThreadList } from './assistant-types.ts'

export interface ThreadListOptions<M> {
  /** Which sessions are threads. Default: all. */
  readonly query?: Pick<ListQuery, 'agentId' | 'userId'>
  /** Makes a title of the first messages. Default: the session's own, which is the beginning of the first message. */
  readonly makeTitle?: (messages: readonly M[]) => string | Promise<string>
}

type ListClient = Pick<SessionClient<object>, 'store' | 'delete'>

/**
 * The sessions of a client as the threads of assistant-ui, for `useRemoteThreadListRuntime`. A thread has the key of its
 * session as its id.
 *
 * @throws (its methods) SessionNotFound for a thread that does not exist, or was deleted
 */
// biome-ignore lint/suspicious/noExplicitAny: without a context that says which messages they are, any will do.
export function createThreadListAdapter<M = any>(
  { store, delete: moveToTrash }: ListClient,
  { query = {}, makeTitle }: ThreadListOptions<M> = {},
): SessionThreadList<M> {
  async function metaOf(key: string): Promise<SessionMeta> {
    const meta = await store.getMeta(key)
    if (meta !== undefined && meta.deletedAt === undefined) return meta
    const found = meta === undefined ? 'does not exist' : 'was deleted'
    throw new SessionError('SessionNotFound', `The thread "${key}" ${found}. List the threads again.`)
  }
  async function change(key: string, patch: MetaPatch): Promise<void> {
    await metaOf(key)
    await store.updateMeta(key, patch)
  }
  const customPatch = (custom: Record<string, unknown> | undefined): MetaPatch => ({
    custom: custom === undefined ? null : (encodeValues(custom) as NonNullable<MetaPatch['custom']>),
  })

  return {
    list: async ({ after } = {}) => {
      const page = await store.listSessions({ ...query, ...(after === undefined ? {} : { cursor: after }) })
      const threads = page.sessions.map(async (listed) => listedThread(listed, await store.getMeta(listed.key)))
      return { threads: await Promise.all(threads), ...(page.next === undefined ? {} : { nextCursor: page.next }) }
    },
    rename: (remoteId, title) => change(remoteId, { title }),
    updateCustom: (remoteId, custom) => change(remoteId, customPatch(custom)),
    archive: (remoteId) => change(remoteId, { archived: true }),
    unarchive: (remoteId) => change(remoteId, { archived: false }),
    delete: (remoteId) => moveToTrash(remoteId).catch(unless('SessionNotFound')),
    initialize: async (threadId, { custom } = {}) => {
      // A thread is initialised again when the first try failed half-way. One that was deleted stays so.
      const { agentId, userId } = query
      if ((await store.getMeta(threadId)) === undefined)
        await store.updateMeta(threadId, {
          ...(custom === undefined ? {} : customPatch(custom)),
          ...(agentId === undefined ? {} : { agentId }),
          ...(userId === undefined ? {} : { userId }),
          archived: false,
        })
      return { remoteId: (await metaOf(threadId)).key, externalId: undefined }
    },
    generateTitle: async (remoteId, messages) => {
      if (makeTitle === undefined) return streamText((await metaOf(remoteId)).title)
      const suggestedTitle = await makeTitle(messages)
      await change(remoteId, { suggestedTitle })
      return streamText((await metaOf(remoteId)).title)
    },
    fetch: async (threadId) => {
      const meta = await metaOf(threadId)
      return listedThread(meta, meta)
    },
  }
}

function listedThread(
  { key, title, archived, updatedAt, messageCount }: SessionListing,
  meta: SessionMeta | undefined,
): ListedThread {
  const custom = meta?.custom ?? {}
  return {
    remoteId: key,
    status: archived ? 'archived' : 'regular',
    ...(title === '' ? {} : { title }),
    ...(messageCount === 0 ? {} : { lastMessageAt: new Date(updatedAt) }),
    ...(Object.keys(custom).length === 0 ? {} : { custom: decodeValues(custom) as Record<string, unknown> }),
  }
}

/** A text as a stream of `assistant-stream`. */
function streamText(text: string): ReadableStream<unknown> {
  return new ReadableStream({
    start: (controller) => {
      if (text !== '') {
        controller.enqueue({ type: 'part-start', path: [], part: { type: 'text' } })
        controller.enqueue({ type: 'text-delta', path: [0], textDelta: text })
        controller.enqueue({ type: 'part-finish', path: [0] })
      }
      controller.close()
    },
  })
}
