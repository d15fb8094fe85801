import type { ChangeSink } from '../contract/change.ts'
import type { SessionStore } from '../contract/store.ts'
import type { ChangeFeed } from './change-feed.ts'
import { createChangeFeed } from './change-feed.ts'
import type { LadderResult } from './ladder.ts'
import { importJsonl } from './import-jsonl.ts'
import { createLazyStore } from './lazy-store.ts'
import { methodNames } from './options-index.ts'
import type { PageLock } from './page-lock.ts'
import type { SessionParts } from './session.ts'
import { createSessionList } from './session-list.ts'
import { readStorageFigures } from './storage-figures.ts'
import type { MessageStream, Session, SessionClient, SessionInit } from './types.ts'

/** What a client needs for some of its work only, and so may load later. */
export interface ClientParts {
  createSession(): Promise<(parts: SessionParts) => Session>
  /** Makes a store for one sub-turn. */
  createEphemeralStore(onChange: ChangeSink): Promise<SessionStore>
}

/** A store that was opened, with its surroundings. */
export interface OpenedClient extends LadderResult {
  readonly name: string
  readonly feed: ChangeFeed
  readonly page: PageLock
}

/** Makes what an app works with, of a store that is open. */
export function createSessionClient({ store, mode, skipped, restarts, name, feed, page }: OpenedClient, parts: ClientParts): SessionClient {
  const openStreams = new Set<MessageStream>()
  const drawn = new Set<string>()
  let closing: Promise<void> | undefined
  // Asked for at once, so that the first session need not wait for it.
  const sessionMaker = parts.createSession()
  sessionMaker.catch(() => undefined)

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
    const { key: asked, ...given }: SessionInit = typeof target === 'string' ? { key: target } : target
    const key = asked === undefined ? await drawKey() : await store.resolveSessionKey(asked)
    let meta = asked === undefined ? undefined : await store.getMeta(key)
    const news = Object.entries(given).filter(([field, value]) => value !== undefined && JSON.stringify(meta?.[field as keyof typeof given]) !== JSON.stringify(value))
    if (news.length > 0) meta = await store.updateMeta(key, Object.fromEntries(news))
    const create = await sessionMaker
    const open = (on: Pick<SessionParts, 'store' | 'feed' | 'isKnown' | 'onClose'>): Session =>
      create({
        ...on,
        key,
        agentName: meta?.agentId ?? '',
        userId: meta?.userId ?? '',
        openStreams,
        openEphemeral: () => {
          // What happens in it is heard by its own handle only.
          const own = createChangeFeed()
          const inMemory = createLazyStore(() => parts.createEphemeralStore(own.emit))
          return open({ store: inMemory, feed: own, isKnown: false, onClose: inMemory.close })
        },
      })
    return open({ store, feed, isKnown: meta !== undefined && meta.deletedAt === undefined })
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
    importJsonl: (source, options) => importJsonl(name, mode, store, source, options),
    close: () => (closing ??= close()),
    [Symbol.asyncDispose]: () => (closing ??= close()),
  }
}
