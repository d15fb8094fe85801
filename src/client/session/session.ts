import type { EntryReceipt } from '../../contract/entry.ts'
import { SessionError } from '../../contract/errors.ts'
import type { Message } from '../../contract/message.ts'
import { diffCheckpoints } from '../../whole-log/diff-checkpoints.ts'
import { isLong } from '../../whole-log/is-long.ts'
import { createBranches } from '../branches/create-branches.ts'
import { createNewVersions } from '../branches/new-versions.ts'
import { compactSession } from '../context/compact-session.ts'
import { suggestTitle } from '../context/suggest-title.ts'
import type { Session } from '../session-contract.ts'
import { createHandleWriter } from './handle-writer.ts'
import { refuseClosed } from './refuse-closed.ts'
import { createSessionEntries } from './session-entries.ts'
import { createSessionLive } from './session-live.ts'
import type { SessionParts } from './session-parts.ts'
import { createSessionReads } from './session-reads.ts'

const releases = new WeakMap<Session, () => Promise<void>>()

/**
 * Ends the streams and transcripts of a handle, as `close` does, but leaves the handle usable: Aixgo's sessions work after
 * they were closed.
 */
export async function releaseSession(session: Session): Promise<void> {
  await releases.get(session)?.()
}

/** Creates a handle on a session. */
export function createSession(parts: SessionParts): Session {
  const { store, name, key, agentName, userId, identity, isClientClosed } = parts
  const writer = createHandleWriter(parts)
  let isClosed = false
  const closedError = (method: string): SessionError | undefined => {
    const what = isClientClosed?.()
      ? `the client of session "${key}" was closed. Open the store again.`
      : isClosed && `this handle on session "${key}" was closed. Open the session again.`
    return what ? new SessionError('StorageClosed', `${method} was called after ${what}`) : undefined
  }
  const guard = <Methods extends object>(methods: Methods): Methods => refuseClosed(methods, closedError)
  const live = createSessionLive(parts, writer, closedError)
  async function release(): Promise<void> {
    await live.end()
    await parts.onClose?.()
  }
  function close(): Promise<void> {
    isClosed = true
    return release()
  }

  const session: Session = {
    key,
    store,
    agentName,
    userId,
    ...(identity === undefined ? {} : { identity }),
    stream: live.stream,
    transcript: live.transcript,
    ...guard({
      append: async (message: Message, options) => {
        const { entries } = await writer.append([{ type: 'message', message }], options)
        return entries[0] as EntryReceipt
      },
      appendAll: writer.append,
      ...createSessionReads(store, key),
      compact: (options) => compactSession({ store, key, name }, options),
      suggestTitle: (make, options) => suggestTitle({ store, key }, make, options),
      rename: async (title) => void (await store.updateMeta(key, { title })),
      tag: async (tags) => void (await store.updateMeta(key, { tags })),
      archive: async (archived = true) => void (await store.updateMeta(key, { archived })),
      edit: async (target, content, options) => {
        await writer.check(content)
        await store.edit(key, target, content, options)
      },
      remove: (target, options) => store.remove(key, target, options),
      ...createNewVersions({ store, key, appendAll: writer.append }),
      delete: () => store.delete(key),
      ephemeral: parts.openEphemeral,
    } satisfies Partial<Session>),
    entries: guard(createSessionEntries(store, key, writer)),
    branches: guard(createBranches({ store, key, appendStored: writer.appendStored, openCopy: parts.openBranched })),
    checkpoints: guard({
      create: (options) =>
        store.checkpoint(key, writer.onDeleted() === 'refuse' ? { onDeleted: 'refuse', ...options } : options),
      list: () => store.listCheckpoints(key),
      restore: (id, options) => store.restoreCheckpoint(key, id, options),
      delete: (id) => store.deleteCheckpoint(key, id),
      diff: async (from, to, options = {}) =>
        parts.runTask !== undefined && (await isLong(store, key))
          ? parts.runTask({ kind: 'diffCheckpoints', key, from, to }, options)
          : diffCheckpoints(store, key, from, to, options),
    } satisfies Session['checkpoints']),
    close,
    [Symbol.asyncDispose]: close,
  }
  releases.set(session, release)
  return session
}
