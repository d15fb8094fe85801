import * as decoding from 'lib0/decoding'
import * as encoding from 'lib0/encoding'

/**
 * - `hello` and `have`: a state vector, to all and in answer to one peer.
 * - `want`: a state vector, to one peer that has more. Answered by a few `update`s and `done`; `whole` by everything in
 *   one update.
 * - `update`: to one peer, or new content to all. `presence`: who is there. `bye`: the sender leaves.
 */
const peerMessages = ['hello', 'have', 'want', 'whole', 'update', 'done', 'presence', 'bye'] as const
export type PeerMessageKind = (typeof peerMessages)[number]

/** One message about a document, from one peer to another or (empty) to all others. */
export interface PeerMessage {
  readonly name: string
  readonly kind: PeerMessageKind
  readonly from: string
  readonly to: string
  readonly payload: Uint8Array
}

/** First byte of each message: other data may come over the same channel. */
const version = 1

export function writePeerMessage({ name, kind, from, to, payload }: PeerMessage): Uint8Array<ArrayBuffer> {
  const encoder = encoding.createEncoder()
  encoding.writeVarUint(encoder, version)
  encoding.writeVarUint(encoder, peerMessages.indexOf(kind))
  for (const text of [name, from, to]) encoding.writeVarString(encoder, text)
  encoding.writeVarUint8Array(encoder, payload)
  return encoding.toUint8Array(encoder) as Uint8Array<ArrayBuffer>
}

/** `undefined` for data that is not such a message. */
export function readPeerMessage(data: unknown): PeerMessage | undefined {
  if (!(data instanceof Uint8Array) && !(data instanceof ArrayBuffer)) return undefined
  try {
    const decoder = decoding.createDecoder(new Uint8Array(data as ArrayBuffer))
    if (decoding.readVarUint(decoder) !== version) return undefined
    const kind = peerMessages[decoding.readVarUint(decoder)]
    if (kind === undefined) return undefined
    const [name, from, to] = [
      decoding.readVarString(decoder),
      decoding.readVarString(decoder),
      decoding.readVarString(decoder),
    ]
    return { name, kind, from, to, payload: decoding.readVarUint8Array(decoder) }
  } catch {
    return undefined
  }
}
