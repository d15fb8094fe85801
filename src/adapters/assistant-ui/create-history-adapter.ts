import type { Session } from '../../client/session-contract.ts'
import type { EntryRef, EntryView } from '../../contract/entry.ts'
import { SessionError } from '../../contract/errors.ts'
import type { DeletedOptions } from '../../contract/store/write-options.ts'
import { createFileUrls, type FileUrls } from '../file-urls.ts'
import { isMendable } from '../is-mendable.ts'
import { unless } from '../unless.ts'
import { createWriteQueue } from '../write-queue.ts'
import type { FormattedHistory, HistoryItem, MessageFormat, SessionHistory } from './assistant-types.ts'
import { createLostMessages, type LostMessages } from './lost-messages.ts'
import { showUrl, storeUrl, withFileUrls } from './message-urls.ts'
import { readMessageTree, type TreeEntry } from './read-message-tree.ts'
import {
  fromStored,
  fromStoredFormat,
  isInFormat,
  isThreadMessage,
  toStored,
  toStoredFormat,
} from './thread-messages.ts'

export interface ThreadHistoryOptions {
  /**
   * Which thread this is, for a local runtime whose history is exchanged: it loads the messages of a history only if its
   * scope is another one than before. Default: the key of the session, where it is given itself and not as a promise.
   */
  readonly scopeId?: string
}

/**
 * A session as the history of a thread of assistant-ui: edited and regenerated messages are branches of the session.
 *
 * A session that is deleted, in this or another tab, is not brought back by what is appended later: that rejects with
 * SessionNotFound. A write that found no space is repeated in front of the next one.
 *
 * @example
 * const history = createHistoryAdapter(client.session('chat-1'))
 * const runtime = useLocalRuntime(model, { adapters: { history } })
 *
 * @throws (its methods) SessionError, for example InvalidInput for a message that JSON can't represent
 */
// biome-ignore lint/suspicious/noExplicitAny: without a context that says which messages they are, any will do.
export function createHistoryAdapter<M extends { readonly id: string } = any>(
  session: Session<object> | Promise<Session<object>>,
  { scopeId = 'key' in session ? session.key : undefined }: ThreadHistoryOptions = {},
): SessionHistory<M> {
  const thread = createThread(session)
  return {
    ...(scopeId === undefined ? {} : { scopeId }),
    ...createHistory<M>(thread, {
      areImmutable: true,
      idOf: ({ id }) => id,
      encode: ({ message, runConfig }) => toStored(message, runConfig),
      has: (entry) => isThreadMessage(entry),
      decode: ({ entry, id }) => fromStored(entry, id) as { message: M; runConfig?: unknown },
    }),
    withFormat: <T, S extends Record<string, unknown>>(format: MessageFormat<T, S>) =>
      createHistory<T>(thread, {
        areImmutable: false,
        idOf: (message) => format.getId(message),
        encode: ({ parentId, message }) => toStoredFormat(format.encode({ parentId, message }), format.format),
        has: (entry) => isInFormat(entry, format.format),
        decode: ({ entry, id, parentId }) => {
          const content = fromStoredFormat(entry) as S
          return { message: format.decode({ id, parent_id: parentId, format: format.format, content }).message }
        },
      }),
    close: () => thread.close(),
  }
}

/** How the messages of a history are stored. */
interface Coding<M> {
  /** Whether a message that is the same object has the same content. */
  readonly areImmutable: boolean
  idOf(message: M): string
  encode(item: HistoryItem<M>): object
  /** Whether the message in an entry belongs to this history. */
  has(entry: EntryView<object>): boolean
  decode(stored: TreeEntry): { readonly message: M; readonly runConfig?: unknown }
}

function createHistory<M>(thread: Thread, { areImmutable, idOf, encode, has, decode }: Coding<M>): FormattedHistory<M> {
  /** Messages that are stored as they are. After each run the library may update all of them. */
  const stored = new WeakSet<WeakKey>()

  async function put(item: HistoryItem<M>): Promise<void> {
    const { message } = item
    const id = idOf(message)
    await thread.write(async (session, files, places, onDeleted) => {
      const place = places.get(id)
      const parentId = thread.lost.nearest(item.parentId)
      const after = parentId === null ? null : (places.get(parentId) ?? { mid: parentId })
      try {
        const encoded = await withFileUrls(encode(item), (url) => storeUrl(files, url))
        if (place === undefined) await session.entries.put(encoded, { mid: id, after, ...onDeleted })
        else await session.edit(place, encoded)
      } catch (error) {
        if (!isMendable(error) && place === undefined && !(await isStored(session, id))) thread.lost.add(id, parentId)
        throw error
      }
      thread.lost.delete(id)
      stored.add(message as WeakKey)
    })
  }
  return {
    load: async () => {
      const { session, files } = await thread.open()
      const tree = await readMessageTree(session, has)
      thread.places = tree.places
      for (const { id } of tree.entries) thread.lost.delete(id)
      const messages = await Promise.all(
        tree.entries.map(async ({ entry, id, parentId }) => {
          const shown = await withFileUrls(entry.message!, (url) => showUrl(files, url))
          const decoded = decode({ entry: { ...entry, message: shown }, id, parentId })
          stored.add(decoded.message as WeakKey)
          return { parentId, ...decoded }
        }),
      )
      if (thread.isClosed) files.revoke()
      return { headId: tree.headId, messages }
    },
    append: put,
    update: async (item) => {
      if (!areImmutable || !stored.has(item.message as WeakKey)) await put(item)
    },
    delete: (items) =>
      thread.write(async (session, _, places) => {
        for (const { message } of items) {
          const id = idOf(message)
          stored.delete(message as WeakKey)
          await session.remove(places.get(id) ?? { mid: id }).catch(unless('InvalidInput', 'SessionNotFound'))
        }
      }),
  }
}

/** Whether there is a message of an id, such as one whose newer content was refused. */
async function isStored(session: Session<object>, mid: string): Promise<boolean> {
  try {
    return (await session.entries.find({ mid })) !== undefined
  } catch {
    // The write says why. What follows the message is told the same where it is not stored.
    return true
  }
}

/** What the formats of one thread share. */
interface Thread {
  readonly lost: LostMessages
  /** Where the loaded messages are that are not found by their ids. */
  places: ReadonlyMap<string, EntryRef>
  open(): Promise<{ readonly session: Session<object>; readonly files: FileUrls }>
  /** Does a write after those before it: a message must be there before what follows it. */
  write(
    work: (
      session: Session<object>,
      files: FileUrls,
      places: ReadonlyMap<string, EntryRef>,
      onDeleted: DeletedOptions,
    ) => Promise<void>,
  ): Promise<void>
  /** Whether what is loaded from now on is shown by nobody. */
  isClosed: boolean
  close(): Promise<void>
}

function createThread(given: Session<object> | Promise<Session<object>>): Thread {
  const writes = createWriteQueue(undefined)
  let opening:
    | Promise<{ session: Session<object>; files: FileUrls; deletion: () => Promise<DeletedOptions> }>
    | undefined
  async function begin() {
    const session = await given
    return { session, files: createFileUrls(session.store), deletion: await watchDeletion(session) }
  }
  const open = () => {
    opening ??= begin().catch((error: unknown) => {
      opening = undefined
      throw error
    })
    return opening
  }
  const thread: Thread = {
    lost: createLostMessages(),
    places: new Map(),
    isClosed: false,
    open,
    write: (work) =>
      writes.run(async () => {
        const { session, files, deletion } = await open()
        await work(session, files, thread.places, await deletion())
      }),
    close: async () => {
      thread.isClosed = true
      await opening?.then(
        ({ files }) => files.revoke(),
        () => undefined,
      )
    },
  }
  return thread
}

/**
 * Creates a function that says what a write does with a deleted session. Only a session that was deleted, or did not
 * exist, when the thread was opened is begun by it; one that was there since then is gone for good.
 */
async function watchDeletion(session: Session<object>): Promise<() => Promise<DeletedOptions>> {
  const first = await session.meta()
  let wasThere = first !== undefined && first.deletedAt === undefined
  return async () => {
    if (wasThere) return { onDeleted: 'refuse' }
    const meta = await session.meta()
    wasThere = meta !== undefined && meta.deletedAt === undefined
    if (wasThere) return { onDeleted: 'refuse' }
    if (meta?.deletedAt === first?.deletedAt) return {}
    throw new SessionError(
      'SessionNotFound',
      `A message of session "${session.key}" came after the session was deleted. It was not stored.`,
    )
  }
}
