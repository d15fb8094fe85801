import type { ChangeSink } from '../contract/change.ts'
import type { SessionStore } from '../contract/store.ts'
import { type ChangeFeed, createChangeFeed } from './change-feed.ts'
import { createLazyStore } from './lazy-store.ts'
import { createSession, type SessionParts } from './session.ts'
import type { MessageStream, Session, SessionInit } from './types.ts'

/** What the handles of a client stand on. */
export interface SessionSurroundings {
  readonly store: SessionStore
  readonly feed: ChangeFeed
  /** Where streams of all handles are kept while they are open. */
  readonly openStreams: Set<MessageStream>
  /** Makes a store for one sub-turn. */
  createEphemeralStore(onChange: ChangeSink): Promise<SessionStore>
}

export type SessionOpener = (target?: string | SessionInit) => Promise<Session>

/** Makes what opens handles on sessions. */
export function createSessionOpener({ store, feed, openStreams, createEphemeralStore }: SessionSurroundings): SessionOpener {
  const drawn = new Set<string>()

  /** `ses-<ms>`, as PicoClaw has it, with a suffix where that is taken. */
  async function drawKey(): Promise<string> {
    const stem = `ses-${Date.now()}`
    for (let n = 1; ; n++) {
      const key = n === 1 ? stem : `${stem}-${n}`
      if (drawn.has(key)) continue
      drawn.add(key)
      if ((await store.resolveSessionKey(key)) === key && (await store.getMeta(key)) === undefined) return key
    }
  }

  return async (target = {}) => {
    const { key: asked, ...parts }: SessionInit = typeof target === 'string' ? { key: target } : target
    const key = asked === undefined ? await drawKey() : await store.resolveSessionKey(asked)
    let meta = asked === undefined ? undefined : await store.getMeta(key)
    const news = Object.entries(parts).filter(([field, value]) => value !== undefined && JSON.stringify(meta?.[field as keyof typeof parts]) !== JSON.stringify(value))
    if (news.length > 0) meta = await store.updateMeta(key, Object.fromEntries(news))

    const open = (on: Pick<SessionParts, 'store' | 'feed' | 'isKnown' | 'onClose'>): Session =>
      createSession({
        ...on,
        key,
        agentName: meta?.agentId ?? '',
        userId: meta?.userId ?? '',
        openStreams,
        openEphemeral: () => {
          // What happens in it is heard by its own handle only, under the key it knows: such a store has but one session.
          const own = createChangeFeed()
          const inMemory = createLazyStore(() => createEphemeralStore((change) => own.emit(change.type === 'notice' ? change : { ...change, key })))
          return open({ store: inMemory, feed: own, isKnown: false, onClose: inMemory.close })
        },
      })
    return open({ store, feed, isKnown: meta !== undefined && meta.deletedAt === undefined })
  }
}
