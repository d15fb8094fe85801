import { type Bytes, bytesOf } from './bytes.ts'
import { fromHex, toHex } from './hex.ts'

const kinds = ['hello', 'commit', 'reply', 'reveal', 'key', 'done', 'offererLeft', 'joinerLeft'] as const
export type PairingMessageKind = (typeof kinds)[number]
export type PairingRole = 'offerer' | 'joiner'
/** Where no joiner is known yet. */
export const noTag = '00'.repeat(8)

/** The messages that each side handles. */
const handledKinds: Readonly<Record<PairingRole, readonly PairingMessageKind[]>> = {
  offerer: ['commit', 'reveal', 'done', 'joinerLeft'],
  joiner: ['hello', 'reply', 'key', 'offererLeft'],
}

const version = 1
/** The start of the joiner's commitment, which marks the messages of one pairing. */
export const tagBytes = 8
const headBytes = 2 + tagBytes

/** A message of one side. @param tag - of the pairing, in hex */
export const writePairingMessage = (kind: PairingMessageKind, tag: string, body: Uint8Array): Bytes =>
  bytesOf(Uint8Array.of(version, kinds.indexOf(kind)), fromHex(tag), body)

/** What a message means for one side of a pairing. */
export type PairingArrival =
  /** It is not for this side, or is repeated. */
  | { readonly means: 'nothing' }
  /** An offerer has come, which may have missed earlier messages. */
  | { readonly means: 'greeted' }
  /** The other side has left. */
  | { readonly means: 'left' }
  /** A different message in the place of one that came: it is from somebody else. */
  | { readonly means: 'interfered' }
  | { readonly means: 'message'; readonly kind: PairingMessageKind; readonly body: Bytes }

/**
 * Says what a message means.
 *
 * @param tag - of the pairing, in hex
 * @param came - the messages so far
 */
export function readPairingMessage(
  message: Uint8Array,
  role: PairingRole,
  tag: string,
  came: ReadonlyMap<PairingMessageKind, Bytes>,
): PairingArrival {
  const nothing: PairingArrival = { means: 'nothing' }
  if (!(message instanceof Uint8Array) || message.length < headBytes || message[0] !== version) return nothing
  const kind = kinds[message[1]!]
  if (kind === undefined || !handledKinds[role].includes(kind)) return nothing
  if (kind === 'hello') return { means: 'greeted' }
  const theirs = toHex(message.subarray(2, headBytes))
  // An offerer that leaves before it got any message has no tag. A second joiner is recognized by its commitment,
  // whatever its tag.
  if (kind === 'offererLeft' ? theirs !== tag && theirs !== noTag : kind !== 'commit' && theirs !== tag) return nothing
  if (kind === 'joinerLeft' || kind === 'offererLeft') return { means: 'left' }
  const body = message.slice(headBytes)
  const before = came.get(kind)
  if (before === undefined) return { means: 'message', kind, body }
  // A repeated message is handled once.
  return toHex(before) === toHex(body) ? nothing : { means: 'interfered' }
}
