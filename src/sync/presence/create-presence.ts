import { Awareness } from 'y-protocols/awareness'
import { Doc } from 'yjs'
import type { DraftChange } from '../../contract/change.ts'
import type { JsonValue } from '../../contract/json.ts'
import type { SessionStore } from '../../contract/store.ts'
import { atMostEach } from './at-most-each.ts'
import { checkPresenceOptions, type PresenceOptions } from './check-presence-options.ts'
import { createPieceCutter } from './cut-pieces.ts'
import { followPeers } from './follow-peers.ts'
import { createGrowingDrafts, type GrowingDrafts } from './growing-drafts.ts'
import type { PeerState, PresenceCodec, PresenceState } from './presence-state.ts'

/** Five states a second. */
const paceMs = 200
/** How long somebody types who has not been heard of since, and how often the others are told of one who goes on. */
const typingMs = 6000
const typingAgainMs = 3000

export interface CreatePresenceOptions extends PresenceOptions {
  readonly store: Pick<SessionStore, 'listDrafts'>
  /** What this device is for the others. Default: drawn. */
  readonly device?: string | undefined
  readonly codec?: PresenceCodec | undefined
  readonly now: () => number
  readonly onChange: () => void
  readonly onError: (error: unknown) => void
  /** A reply is streamed into a session that is not connected: nobody sees it. */
  readonly onUnseen: () => void
}

/** A session while it is connected. */
export interface Visit {
  readonly awareness: Awareness
  leave(): void
}

/** Who is in which session, here and on other devices. Nothing of it is ever stored. */
export interface Presence {
  /** The session gets a connection, which carries its awareness. */
  enter(key: string, id: string): Visit
  /** Somebody looks at it here: the others are told. */
  setWatched(key: string, isWatched: boolean): void
  setTyping(key: string, isTyping: boolean): void
  /** A draft of this device began, grew or ended. */
  hear(change: DraftChange): void
  /** The sessions into which a reply is streamed here. */
  streaming(): readonly string[]
  /** The session is gone. */
  forget(key: string): void
  peers(key: string): readonly PeerState[]
  /** Of all sessions that somebody is in. */
  all(): Readonly<Record<string, readonly PeerState[]>>
  close(): void
}

/** What this device does in a session, connected or not. */
interface Own {
  isWatched: boolean
  typing: ReturnType<typeof setTimeout> | undefined
  readonly drafts: GrowingDrafts
  /** What is heard while the list of drafts is read. */
  heard: DraftChange[] | undefined
  /** Whether it was said that nobody sees it. */
  isUnseen: boolean
}

interface Connected {
  ask(): void
  peers(): readonly PeerState[]
  close(): void
}

const nobody: readonly PeerState[] = Object.freeze([])
const inTheClear: PresenceCodec = { write: (state) => state as unknown as JsonValue, read: (content) => content }

/** @throws InvalidInput */
export function createPresence({ user: given, device = drawDevice(), store, codec = inTheClear, now, onChange, onError, onUnseen }: CreatePresenceOptions): Presence {
  const { user } = checkPresenceOptions({ user: given })
  const owns = new Map<string, Own>()
  const visits = new Map<string, Connected>()

  const ownOf = (key: string): Own => {
    const own = owns.get(key) ?? { isWatched: false, typing: undefined, drafts: createGrowingDrafts(now, () => changed(key)), heard: undefined, isUnseen: false }
    owns.set(key, own)
    return own
  }
  const changed = (key: string): void => {
    const own = owns.get(key)
    if (own !== undefined && isIdle(own)) owns.delete(key)
    visits.get(key)?.ask()
    if (own === undefined || own.isUnseen || own.drafts.first() === undefined || visits.has(key)) return
    own.isUnseen = true
    onUnseen()
  }
  const stopTyping = (key: string, own: Own): void => {
    clearTimeout(own.typing)
    own.typing = undefined
    changed(key)
  }

  const readDrafts = async (key: string, own: Own, change: DraftChange): Promise<void> => {
    own.heard = [change]
    try {
      own.drafts.reset(await store.listDrafts(key))
      for (const one of own.heard) own.drafts.hear(one)
    } catch (error) {
      onError(error)
    }
    own.heard = undefined
    changed(key)
  }

  const enter = (key: string, id: string): Visit => {
    // A document of its own: the projection's client is another with each writer. And a new one each time: a server takes one that it
    // has met before for somebody else's, and doesn't notice when that one leaves.
    const doc = new Doc()
    const awareness = new Awareness(doc)
    awareness.setLocalState(null)
    const cutter = createPieceCutter()
    let said: string | undefined
    let saidAt = 0
    let isLeft = false

    const stateNow = (): PresenceState | undefined => {
      const own = owns.get(key)
      const draft = own?.drafts.first()
      if (own === undefined || (!own.isWatched && own.typing === undefined && draft === undefined)) return undefined
      // With nobody there, nothing needs to be told but that one is here.
      if (peers.isEmpty()) return { device, user }
      return { device, user, ...(own.typing === undefined ? {} : { typing: true }), ...(draft === undefined ? {} : { draft: cutter.cut(draft) }) }
    }
    const say = async (): Promise<void> => {
      const state = stateNow()
      // Not `null`: Hocuspocus doesn't pass that on.
      if (state === undefined) {
        if (said !== undefined) awareness.setLocalState({})
        said = undefined
        return
      }
      const text = JSON.stringify(state)
      if (text === said && !(state.typing === true && now() - saidAt >= typingAgainMs)) return
      try {
        const content = await codec.write(state, id)
        if (isLeft) return
        said = text
        saidAt = now()
        awareness.setLocalState({ content })
      } catch (error) {
        cutter.restart()
        onError(error)
      }
    }
    const pace = atMostEach(paceMs, now, say)
    const peers = followPeers({
      awareness, now, onError, me: device,
      read: (content) => codec.read(content, id),
      onChange: () => {
        if (visits.get(key) === connected) onChange()
      },
      onArrival: () => {
        cutter.restart()
        pace.ask()
      },
    })
    // What the awareness renews by itself counts, too.
    awareness.on('update', (_: unknown, origin: unknown) => {
      if (origin === 'local') pace.done()
    })

    const leave = (): void => {
      if (isLeft) return
      isLeft = true
      pace.stop()
      peers.close()
      awareness.destroy()
      doc.destroy()
      if (visits.get(key) !== connected) return
      visits.delete(key)
      if (!peers.isEmpty()) onChange()
    }
    const connected: Connected = { ask: pace.ask, peers: peers.list, close: leave }
    visits.set(key, connected)
    pace.ask()
    return { awareness, leave }
  }

  return {
    enter,
    setWatched: (key, isWatched) => {
      ownOf(key).isWatched = isWatched
      changed(key)
    },
    setTyping: (key, isTyping) => {
      const own = ownOf(key)
      clearTimeout(own.typing)
      own.typing = isTyping ? setTimeout(() => stopTyping(key, own), typingMs) : undefined
      changed(key)
    },
    hear: (change) => {
      const { key, view, added } = change
      if (view === undefined && added === undefined && !owns.has(key)) return
      const own = ownOf(key)
      if (own.heard !== undefined) own.heard.push(change)
      else if (own.drafts.hear(change)) void readDrafts(key, own, change)
      else changed(key)
    },
    streaming: () => [...owns].flatMap(([key, { drafts }]) => (drafts.first() === undefined ? [] : [key])),
    forget: (key) => {
      const own = owns.get(key)
      if (own === undefined) return
      own.drafts.reset([])
      stopTyping(key, own)
    },
    peers: (key) => visits.get(key)?.peers() ?? nobody,
    all: () => Object.fromEntries([...visits].map(([key, { peers }]) => [key, peers()] as const).filter(([, peers]) => peers.length > 0)),
    close: () => {
      for (const { close } of [...visits.values()]) close()
      for (const { typing, drafts } of owns.values()) {
        clearTimeout(typing)
        drafts.close()
      }
      owns.clear()
    },
  }
}

/** `crypto.randomUUID` is missing on plain HTTP pages. */
const drawDevice = (): string => Array.from(crypto.getRandomValues(new Uint32Array(4)), (part) => part.toString(36)).join('')

const isIdle = ({ isWatched, typing, drafts, heard }: Own): boolean => !isWatched && typing === undefined && drafts.isEmpty() && heard === undefined
