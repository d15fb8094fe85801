import { Awareness } from 'y-protocols/awareness'
import { Doc } from 'yjs'
import { followPeers } from './follow-peers.ts'
import { createKnownPeers } from './known-peers.ts'
import type { PeerState } from './presence-state.ts'
import { createStatePublisher } from './publish-state.ts'
import type { VisitOptions } from './visit-options.ts'

/** The presence in one session while it is connected. */
export interface OpenVisit {
  readonly awareness: Awareness
  /** Publishes what this device does now, at once or as soon as the pace allows. */
  ask(): void
  peers(): readonly PeerState[]
  leave(): void
}

export function openVisit(options: VisitOptions): OpenVisit {
  const { id, device, codec, now, onPeers, onLeave, onError } = options
  // A document of its own, because the client of the projection changes with each writer. And a new one each time: a
  // server takes a client that it has met before for somebody else's, and does not notice when that one leaves.
  const doc = new Doc()
  const awareness = new Awareness(doc)
  awareness.setLocalState(null)
  const known = createKnownPeers(now, onPeers)
  const publisher = createStatePublisher({ ...options, awareness, isAlone: known.isEmpty })
  const stopFollowing = followPeers({
    awareness,
    known,
    onError,
    me: device,
    read: (content) => codec.read(content, id),
    onArrival: publisher.restart,
  })
  let isLeft = false

  return {
    awareness,
    ask: publisher.ask,
    peers: known.list,
    leave: () => {
      if (isLeft) return
      isLeft = true
      publisher.stop()
      stopFollowing()
      known.close()
      awareness.destroy()
      doc.destroy()
      onLeave(!known.isEmpty())
    },
  }
}
