import type { Entry, EntryInput, EntryReceipt, EntryView, MessageInput } from '../../contract/entry.ts'
import type { Message } from '../../contract/message.ts'
import type { AppendOptions, AppendResult } from '../../contract/store/session-log.ts'
import type { SessionStore } from '../../contract/store/session-store.ts'
import { createBranches } from '../branches/create-branches.ts'
import { createNewVersions } from '../branches/new-versions.ts'
import { compactSession } from '../context/compact-session.ts'
import { readContext } from '../context/read-context.ts'
import { suggestTitle } from '../context/suggest-title.ts'
import type { MessageStream } from '../message-stream-types.ts'
import type { Session, SessionIdentity, Transcript } from '../session-contract.ts'
import type { ChangeFeed } from './change-feed.ts'
import { diffCheckpoints } from './diff-checkpoints.ts'
import { holdInUse, type SessionUse } from './in-use.ts'
import { createMessageStream } from './message-stream.ts'
import { readEntries } from './read-entries.ts'
import { readInterrupted } from './read-interrupted.ts'
import { createTranscript } from './transcript.ts'

/** What a handle stands on. */
export interface SessionParts {
  readonly store: SessionStore
  /** Name of the database; absent where the store is this handle's own. */
  readonly name?: string
  readonly feed: ChangeFeed
  readonly key: string
  readonly agentName: string
  readonly userId: string
  /** Whether there is such a session: then appending to it never starts a deleted one afresh. */
  readonly isKnown: boolean
  readonly identity?: SessionIdentity
  /** Where streams of all handles are kept while they are open. */
  readonly openStreams: Set<MessageStream>
  openEphemeral(): Session
  /** Opens the session that these entries make, under this key or a new one. */
  openBranched(parent: string, entries: readonly Entry[], key: string | undefined): Promise<Session>
  /** Checks a message before it is written. @throws InvalidInput */
  readonly check?: ((message: Message) => Promise<void>) | undefined
  /** Called when a write has restarted a deleted session. */
  onRestart?(): Promise<unknown>
  /** Called when the handle is closed. */
  onClose?(): Promise<void>
}

const isMessageInput = (entry: EntryInput): entry is MessageInput => entry.type === 'message' && 'message' in entry

/** Makes a handle on a session. */
export function createSession({
  store,
  name,
  feed,
  key,
  agentName,
  userId,
  isKnown,
  identity,
  openStreams,
  openEphemeral,
  openBranched,
  check,
  onRestart,
  onClose,
}: SessionParts): Session {
  const streams = new Set<MessageStream>()
  const transcripts = new Set<Transcript>()
  let use: SessionUse | undefined
  let users = 0

  /** Whoever streams or watches uses the session; a handle that nobody closed does not. @returns what ends it */
  function beginUse(): () => void {
    users++
    if (use === undefined && name !== undefined && !feed.ending.aborted) {
      use = holdInUse(name, key)
      feed.ending.addEventListener('abort', dropUse)
    }
    let isOver = false
    return () => {
      if (!isOver && --users === 0) dropUse()
      isOver = true
    }
  }
  function dropUse(): void {
    use?.end()
    use = undefined
    feed.ending.removeEventListener('abort', dropUse)
  }

  const onDeleted = () => (isKnown ? 'refuse' : 'restart')

  async function appendAll(entries: readonly EntryInput[], options: AppendOptions = {}): Promise<AppendResult> {
    if (check !== undefined) for (const entry of entries) if (isMessageInput(entry)) await check(entry.message)
    const result = await store.append(key, entries, { onDeleted: onDeleted(), ...options })
    await written()
    return result
  }
  async function written(): Promise<void> {
    isKnown = true
    const act = onRestart
    onRestart = undefined
    // What was written is stored, whatever becomes of this; the next write tries again, and so does the next opening.
    await act?.().catch(() => (onRestart = act))
  }

  async function close(): Promise<void> {
    for (const transcript of transcripts) transcript.close()
    try {
      await Promise.all([...streams].map((stream) => stream.abort({ keep: true })))
    } finally {
      dropUse()
    }
    await onClose?.()
  }

  return {
    key,
    store,
    agentName,
    userId,
    ...(identity === undefined ? {} : { identity }),
    append: async (message, options) => {
      const { entries } = await appendAll([{ type: 'message', message }], options)
      return entries[0] as EntryReceipt
    },
    appendAll,
    stream: (options = {}) => {
      const stream = createMessageStream(store, key, { ...options, onDeleted: onDeleted(), check }, () => {
        streams.delete(stream)
        openStreams.delete(stream)
        endUse()
        return written()
      })
      const endUse = beginUse()
      // What can't begin never ends.
      stream.id.catch(endUse)
      streams.add(stream)
      openStreams.add(stream)
      return stream
    },
    interrupted: ({ last = 512 } = {}) => readInterrupted(store, key, last),
    messages: async ({ signal } = {}) => {
      const messages: Message[] = []
      for await (const entries of readEntries(store, key, signal))
        for (const { message } of entries) if (message !== undefined) messages.push(message)
      return messages
    },
    context: (options) => readContext(store, key, options),
    compact: (options) => compactSession({ store, key, name }, options),
    suggestTitle: (make, options) => suggestTitle({ store, key }, make, options),
    page: (options) => store.read(key, options),
    transcript: ({ last = 50 } = {}) => {
      const endUse = beginUse()
      let isOver = false
      let transcript: Transcript | undefined
      transcript = createTranscript(store, feed, key, last, () => {
        // Before there is one, where the client is closed already.
        isOver = true
        if (transcript !== undefined) transcripts.delete(transcript)
        endUse()
      })
      if (!isOver) transcripts.add(transcript)
      return transcript
    },
    meta: () => store.getMeta(key),
    rename: async (title) => void (await store.updateMeta(key, { title })),
    tag: async (tags) => void (await store.updateMeta(key, { tags })),
    archive: async (archived = true) => void (await store.updateMeta(key, { archived })),
    edit: async (target, message, options) => {
      await check?.(message)
      await store.edit(key, target, message, options)
    },
    remove: (target, options) => store.remove(key, target, options),
    ...createNewVersions({ store, key, appendAll }),
    branches: createBranches({
      store,
      key,
      appendAll,
      openCopy: (entries, asked) => openBranched(key, entries, asked),
    }),
    checkpoints: {
      create: (options) => store.checkpoint(key, isKnown ? { onDeleted: 'refuse', ...options } : options),
      list: () => store.listCheckpoints(key),
      restore: (id, options) => store.restoreCheckpoint(key, id, options),
      delete: (id) => store.deleteCheckpoint(key, id),
      diff: (id, other) => diffCheckpoints(store, key, id, other),
    },
    delete: () => store.delete(key),
    ephemeral: openEphemeral,
    close,
    async *[Symbol.asyncIterator](): AsyncGenerator<EntryView> {
      for await (const entries of readEntries(store, key)) yield* entries
    },
    [Symbol.asyncDispose]: close,
  }
}
