import { IncomingMessage, MessageType } from '@hocuspocus/server'
import * as Y from 'yjs'
import { KNOWN } from '../limits/limit-presence.js'
import { Refusal } from '../refusal.js'
import { SYNC_STEP_1 } from '../sync-step.js'
import { decodeUpdate } from './decode-update.js'

/** The last step of a sync message. */
const UPDATE = 2

/**
 * The extension that refuses messages which cannot be read. Hocuspocus would fail while it does what they say, and write
 * an error with its stack to the log for each.
 *
 * @param {import('../http/metrics.js').Metrics} metrics
 * @returns {import('@hocuspocus/server').Extension}
 */
export function refuseMalformed(metrics) {
  return {
    async beforeHandleMessage({ update, connection }) {
      try {
        readMessage(update, connection.readOnly)
      } catch (error) {
        const refusal = error instanceof Refusal ? error : new Refusal('malformed-message')
        metrics.refuse(refusal.name)
        throw refusal
      }
    },
  }
}

/**
 * Reads all that Hocuspocus will read.
 *
 * @param {Uint8Array} update
 * @param {boolean} readOnly - whether the update in it is not checked later, because it is not stored
 */
function readMessage(update, readOnly) {
  const message = new IncomingMessage(update)
  message.readVarString()
  switch (message.readVarUint()) {
    case MessageType.Sync:
    case MessageType.SyncReply: {
      const step = message.readVarUint()
      const content = message.readVarUint8Array()
      if (step > UPDATE) throw new Error(`There is no step ${step}.`)
      if (step === SYNC_STEP_1) Y.decodeStateVector(content)
      else if (readOnly) decodeUpdate(content)
      break
    }
    case MessageType.Awareness:
      readStates(new IncomingMessage(message.readVarUint8Array()))
      break
    case MessageType.Stateless:
      message.readVarString()
      break
    case MessageType.BroadcastStateless:
      throw new Error('Only servers send it.')
  }
}

/** @param {IncomingMessage} states */
function readStates(states) {
  const count = states.readVarUint()
  // So many are refused by their count alone.
  for (let i = 0; i < count && count <= KNOWN; i++) {
    states.readVarUint()
    states.readVarUint()
    JSON.parse(states.readVarString())
  }
}
