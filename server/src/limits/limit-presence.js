import { IncomingMessage, MessageType } from '@hocuspocus/server'
import { Refusal } from '../refusal.js'

/** Bytes of one state, as JSON: the largest that a client makes, encrypted. Clients accept no larger one. */
const STATE = 32_768
/** How many may be present in one document at once: the others that a client accepts, and itself. */
const PRESENT = 65
/** How many are remembered after they left, and how many one message may contain. */
export const KNOWN = 1000

/**
 * The extension that keeps presence small. A message that no client sends closes its document; participants beyond the
 * limit are left out.
 *
 * @param {import('../http/metrics.js').Metrics} metrics
 * @returns {import('@hocuspocus/server').Extension}
 */
export function limitPresence(metrics) {
  return {
    async beforeHandleMessage({ update }) {
      // Before all of it is parsed.
      if (countOf(update) <= KNOWN) return
      metrics.refuse('too-many-present')
      throw new Refusal('too-many-present', `${KNOWN} in one message`)
    },
    async beforeHandleAwareness({ document, states }) {
      const { awareness } = document
      let present = awareness.states.size
      for (const [id, state] of states) {
        const isNew = !awareness.states.has(id)
        if ((isNew && present >= PRESENT) || JSON.stringify(state).length > STATE) states.delete(id)
        else if (isNew) present++
      }
      if (awareness.meta.size > KNOWN)
        for (const id of awareness.meta.keys())
          if (!awareness.states.has(id) && id !== awareness.clientID) awareness.meta.delete(id)
    },
  }
}

/** How many participants a message has. @param {Uint8Array} update */
function countOf(update) {
  const message = new IncomingMessage(update)
  message.readVarString()
  return message.readVarUint() === MessageType.Awareness
    ? new IncomingMessage(message.readVarUint8Array()).readVarUint()
    : 0
}
