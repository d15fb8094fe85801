import { Awareness } from 'y-protocols/awareness'
import { Doc } from 'yjs'
import { createPieceCutter } from './cut-pieces.ts'
import { followPeers } from './follow-peers.ts'
import type { GrowingDraft } from './growing-drafts.ts'
import type { PeerState, PresenceCodec, PresenceState } from './presence-state.ts'
import { throttleTask } from './throttle-task.ts'

/** Five states a second. */
const paceMs = 200
/** How often typing is announced again to the others. */
const typingAgainMs = 3000

/** What this device does in a session. */
export interface Activity {
  readonly isTyping: boolean
  readonly draft: GrowingDraft | undefined
}

export interface VisitOptions {
  /** The part of the document's name that stands for the session. */
  readonly id: string
  readonly device: string
  readonly user: PresenceState['user']
  readonly codec: PresenceCodec
  readonly now: () => number
  /** `undefined` where nobody here is in the session. */
  readonly activity: () => Activity | undefined
  /** Somebody came, left or did something. */
  readonly onPeers: () => void
  readonly onLeave: (hadPeers: boolean) => void
  readonly onError: (error: unknown) => void
}

/** The presence in one session while it is connected. */
export interface OpenVisit {
  readonly awareness: Awareness
  /** Publishes what this device does now, at once or as soon as the pace allows. */
  ask(): void
  peers(): readonly PeerState[]
  leave(): void
}

export function openVisit(options: VisitOptions): OpenVisit {
  const { id, device, user, codec, now, activity, onPeers, onLeave, onError } = options
  // A document of its own, because the client of the projection changes with each writer. And a new one each time: a
  // server takes a client that it has met before for somebody else's, and does not notice when that one leaves.
  const doc = new Doc()
  const awareness = new Awareness(doc)
  awareness.setLocalState(null)
  const cutter = createPieceCutter()
  let published: string | undefined
  let publishedAt = 0
  let isLeft = false

  const stateNow = (): PresenceState | undefined => {
    const current = activity()
    if (current === undefined) return undefined
    // Without others, it is enough to publish that this device is here.
    if (peers.isEmpty()) return { device, user }
    const { isTyping, draft } = current
    return {
      device,
      user,
      ...(isTyping ? { typing: true } : {}),
      ...(draft === undefined ? {} : { draft: cutter.cut(draft) }),
    }
  }
  const publish = async (): Promise<void> => {
    const state = stateNow()
    if (state === undefined) {
      // Not `null`, because Hocuspocus does not pass that on.
      if (published !== undefined) awareness.setLocalState({})
      published = undefined
      return
    }
    const text = JSON.stringify(state)
    if (text === published && !(state.typing === true && now() - publishedAt >= typingAgainMs)) return
    try {
      const content = await codec.write(state, id)
      if (isLeft) return
      published = text
      publishedAt = now()
      awareness.setLocalState({ content })
    } catch (error) {
      cutter.restart()
      onError(error)
    }
  }
  const pace = throttleTask(paceMs, now, publish)
  const peers = followPeers({
    awareness,
    now,
    onError,
    me: device,
    read: (content) => codec.read(content, id),
    onChange: onPeers,
    onArrival: () => {
      cutter.restart()
      pace.ask()
    },
  })
  // The awareness also renews its state by itself.
  awareness.on('update', (_: unknown, origin: unknown) => {
    if (origin === 'local') pace.done()
  })

  return {
    awareness,
    ask: pace.ask,
    peers: peers.list,
    leave: () => {
      if (isLeft) return
      isLeft = true
      pace.stop()
      peers.close()
      awareness.destroy()
      doc.destroy()
      onLeave(!peers.isEmpty())
    },
  }
}
