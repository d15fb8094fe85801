import type { ChangeSink } from '../contract/change.ts'
import type { SessionStore } from '../contract/store.ts'
import type { ChangeFeed } from './change-feed.ts'
import { createChangeFeed } from './change-feed.ts'
import type { LadderResult } from './ladder.ts'
import { createLazyStore } from './lazy-store.ts'
import { methodNames } from './options-index.ts'
import type { PageLock } from './page-lock.ts'
import { createSession } from './session.ts'
import { createSessionList } from './session-list.ts'
import { readStorageFigures } from './storage-figures.ts'
import type { MessageStream, Session, SessionClient, SessionInit } from './types.ts'

/** Makes a store for one sub-turn. */
export type EphemeralStoreMaker = (onChange: ChangeSink) => Promise<SessionStore>

export interface ClientParts extends LadderResult {
  readonly name: string
  readonly feed: ChangeFeed
  readonly page: PageLock
  readonly createEphemeralStore: EphemeralStoreMaker
}

/** Makes what an app works with, of a store that is open. */
export function createSessionClient({ store, mode, skipped, restarts, name, feed, page, createEphemeralStore }: ClientParts): SessionClient {
  const openStreams = new Set<MessageStream>()
  const drawn = new Set<string>()
  let closing: Promise<void> | undefined

  /** `ses-<ms>`, as PicoClaw has it, with a suffix where that is taken. */
  async function drawKey(): Promise<string> {
    const stem = `ses-${Date.now()}`
    for (let n = 1; ; n++) {
      const key = n === 1 ? stem : `${stem}-${n}`
      if (drawn.has(key)) continue
      drawn.add(key)
      if ((await store.getMeta(key)) === undefined) return key
    }
  }

  async function session(target: string | SessionInit = {}): Promise<Session> {
    const { key: asked, ...parts }: SessionInit = typeof target === 'string' ? { key: target } : target
    const key = asked === undefined ? await drawKey() : await store.resolveSessionKey(asked)
    let meta = asked === undefined ? undefined : await store.getMeta(key)
    const news = Object.entries(parts).filter(([field, value]) => value !== undefined && JSON.stringify(meta?.[field as keyof typeof parts]) !== JSON.stringify(value))
    if (news.length > 0) meta = await store.updateMeta(key, Object.fromEntries(news))
    return open(store, feed, key, meta?.agentId ?? '', meta?.userId ?? '', meta !== undefined && meta.deletedAt === undefined)
  }

  function open(from: SessionStore, heard: ChangeFeed, key: string, agentName: string, userId: string, isKnown: boolean, onClose?: () => Promise<void>): Session {
    const openEphemeral = (): Session => {
      // What happens in it is heard by its own handle only.
      const own = createChangeFeed()
      const inMemory = createLazyStore(() => createEphemeralStore(own.emit))
      return open(inMemory, own, key, agentName, userId, false, inMemory.close)
    }
    return createSession({ store: from, feed: heard, key, agentName, userId, isKnown, openStreams, openEphemeral, ...(onClose === undefined ? {} : { onClose }) })
  }

  async function close(): Promise<void> {
    await Promise.allSettled([...openStreams].map((stream) => stream.abort({ keep: true })))
    await store.close()
    feed.close()
    page.release()
  }

  const methods = Object.fromEntries(methodNames.map((method) => [method, store[method].bind(store)])) as unknown as SessionStore
  return {
    ...methods,
    session,
    sessions: (query = {}) => createSessionList(store, feed, query),
    subscribe: feed.subscribe,
    health: async () => ({ mode, durable: mode !== 'memory', skipped, name, restarts: restarts?.() ?? 0, ...(await readStorageFigures()) }),
    importJsonl: () => {
      throw new TypeError('Imports are not there yet.')
    },
    close: () => (closing ??= close()),
    [Symbol.asyncDispose]: () => (closing ??= close()),
  }
}
