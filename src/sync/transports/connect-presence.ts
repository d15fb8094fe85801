import {
  type Awareness,
  applyAwarenessUpdate,
  encodeAwarenessUpdate,
  removeAwarenessStates,
} from 'y-protocols/awareness'
import { admitPresence } from './admit-presence.ts'

/** The presence of one document over one connection. */
export interface ConnectedPresence {
  /** Sends who is here. */
  greet(): void
  /** Takes in who is there. What cannot be read is ignored. */
  receive(update: Uint8Array): void
  /** Sends that this side leaves, and forgets whom it knew through this connection. */
  close(): void
}

interface Changed {
  readonly added: readonly number[]
  readonly updated: readonly number[]
  readonly removed: readonly number[]
}

/**
 * Carries who is here. Each side publishes only its own state. The libraries' own providers are not used, because they
 * take the document's client id, which a projection changes with every writer, for that of the awareness, and destroy
 * the awareness with themselves.
 */
export function connectPresence(
  awareness: Awareness,
  origin: unknown,
  send: (update: Uint8Array) => void,
): ConnectedPresence {
  const { clientID } = awareness
  const met = new Set<number>()
  const onUpdate = ({ added, updated, removed }: Changed, by: unknown): void => {
    if (by === origin) {
      for (const id of [...added, ...updated]) met.add(id)
      for (const id of removed) met.delete(id)
    } else if ([...added, ...updated, ...removed].includes(clientID)) send(encodeAwarenessUpdate(awareness, [clientID]))
  }
  awareness.on('update', onUpdate)

  return {
    greet: () => {
      if (awareness.getLocalState() !== null) send(encodeAwarenessUpdate(awareness, [clientID]))
    },
    receive: (update) => {
      try {
        const admitted = admitPresence(awareness, update)
        if (admitted !== undefined) applyAwarenessUpdate(awareness, admitted, origin)
      } catch {
        // A state that cannot be read is not shown.
      }
    },
    close: () => {
      awareness.off('update', onUpdate)
      if (awareness.getLocalState() !== null) send(encodeAwarenessUpdate(awareness, [clientID], new Map()))
      met.delete(clientID)
      removeAwarenessStates(awareness, [...met], origin)
    },
  }
}
