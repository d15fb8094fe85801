import * as decoding from 'lib0/decoding'
import * as encoding from 'lib0/encoding'
import type { Awareness } from 'y-protocols/awareness'

/** Bytes of one state, as JSON: the largest that this side makes, encrypted. */
const mostBytes = 32_768
/** How many others may be in one document at once. */
const mostOthers = 64
/** How many are remembered after they left, so that their late states are not mistaken for new ones. */
const mostKnown = 1000

/**
 * The part of an update that may be accepted: no state that is too big, no client beyond the limit, and nothing in the
 * name of this side.
 *
 * @returns the rest as an update, or `undefined` when nothing is left
 * @throws when it is not an update
 */
export function admitPresence(awareness: Awareness, update: Uint8Array): Uint8Array | undefined {
  const decoder = decoding.createDecoder(update)
  const count = decoding.readVarUint(decoder)
  const encoder = encoding.createEncoder()
  const others = new Set([...awareness.states.keys()].filter((id) => id !== awareness.clientID))
  let admitted = 0
  for (let i = 0; i < count; i++) {
    const [id, clock, state] = [
      decoding.readVarUint(decoder),
      decoding.readVarUint(decoder),
      decoding.readVarUint8Array(decoder),
    ]
    if (id === awareness.clientID || state.length > mostBytes) continue
    if (others.size >= mostOthers && !others.has(id)) continue
    others.add(id)
    encoding.writeVarUint(encoder, id)
    encoding.writeVarUint(encoder, clock)
    encoding.writeVarUint8Array(encoder, state)
    admitted += 1
  }
  if (admitted === 0) return undefined
  if (awareness.meta.size > mostKnown)
    for (const id of awareness.meta.keys())
      if (!awareness.states.has(id) && id !== awareness.clientID) awareness.meta.delete(id)
  const head = encoding.createEncoder()
  encoding.writeVarUint(head, admitted)
  encoding.writeUint8Array(head, encoding.toUint8Array(encoder))
  return encoding.toUint8Array(head)
}
