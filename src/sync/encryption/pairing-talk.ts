import { SessionError } from '../../contract/errors.ts'
import { type Bytes, bytesOf } from './bytes.ts'
import { fromHex, toHex } from './hex.ts'
import { PairingError } from './pairing-error.ts'

/**
 * Carries the few messages of a pairing, each under 300 bytes: a BroadcastChannel, a document's awareness, anything
 * that the two devices share.
 */
export interface PairingChannel {
  send(bytes: Uint8Array): void
  /** Calls back for every message of others; own messages do no harm. @returns how to stop */
  onMessage(listener: (bytes: Uint8Array) => void): () => void
}

export interface PairingTalkOptions {
  readonly channel: PairingChannel
  readonly signal?: AbortSignal
  /** Milliseconds until the pairing expires. Default: 5 minutes. */
  readonly expiresAfter?: number
}

const kinds = ['hello', 'commit', 'reply', 'reveal', 'key', 'done', 'offererLeft', 'joinerLeft'] as const
type PairingMessageKind = (typeof kinds)[number]
export type PairingRole = 'offerer' | 'joiner'
const noTag = '00'.repeat(8)

/** The messages that each side handles. */
const handledKinds: Readonly<Record<PairingRole, readonly PairingMessageKind[]>> = {
  offerer: ['commit', 'reveal', 'done', 'joinerLeft'],
  joiner: ['hello', 'reply', 'key', 'offererLeft'],
}

const version = 1
/** The start of the joiner's commitment, which marks the messages of one pairing. */
const tagBytes = 8
const headBytes = 2 + tagBytes

/** One side of a pairing: its messages, until it ends in one way or another. */
export interface PairingTalk {
  /** Aborts when the pairing ends, for any reason: the app can close what it shows. */
  readonly signal: AbortSignal
  /** From now on, only messages with this tag count. */
  setTag(tag: Uint8Array): void
  send(kind: PairingMessageKind, body?: Uint8Array): void
  /** Returns the body of the message of this kind. @throws PairingError, Aborted */
  receive(kind: PairingMessageKind): Promise<Bytes>
  /** Returns the promise, or rejects when the pairing ends first. */
  orEnd<T>(promise: Promise<T>): Promise<T>
  /** @param error - why it ends, unless it succeeded; it is sent to the other side */
  end(error?: unknown): void
}

/**
 * @param onHello - called when an offerer has come, which may have missed earlier messages
 * @throws InvalidInput, Aborted
 */
export function openPairingTalk(
  role: PairingRole,
  { channel, signal, expiresAfter = 300_000 }: PairingTalkOptions,
  onHello?: (send: PairingTalk['send']) => void,
): PairingTalk {
  if (!(expiresAfter > 0))
    throw new SessionError('InvalidInput', 'expiresAfter of a pairing must be a positive number of milliseconds.')
  const aborted = (): SessionError => new SessionError('Aborted', 'The pairing was cancelled. No key was taken.')
  if (signal?.aborted) throw aborted()
  const came = new Map<PairingMessageKind, Bytes>()
  const waiting = new Map<PairingMessageKind, (body: Bytes) => void>()
  const ended = new AbortController()
  let tag = noTag
  let fail!: (error: unknown) => void
  const failed = new Promise<never>((_, reject) => (fail = reject))
  failed.catch(() => undefined)

  const send = (kind: PairingMessageKind, body: Uint8Array = new Uint8Array()): void => {
    channel.send(bytesOf(Uint8Array.of(version, kinds.indexOf(kind)), fromHex(tag), body))
  }

  const listen = (message: Uint8Array): void => {
    if (!(message instanceof Uint8Array) || message.length < headBytes || message[0] !== version) return
    const kind = kinds[message[1]!]
    if (kind === undefined || !handledKinds[role].includes(kind)) return
    if (kind === 'hello') {
      try {
        return onHello?.(send)
      } catch (error) {
        return fail(error)
      }
    }
    const theirs = toHex(message.subarray(2, headBytes))
    // An offerer that leaves before it got any message has no tag. A second joiner is recognized by its commitment,
    // whatever its tag.
    if (kind === 'offererLeft' ? theirs !== tag && theirs !== noTag : kind !== 'commit' && theirs !== tag) return
    if (kind === 'joinerLeft' || kind === 'offererLeft') return fail(new PairingError('refused'))
    const body = message.slice(headBytes)
    const before = came.get(kind)
    if (before !== undefined) {
      // A repeated message is handled once. A different one in its place comes from somebody else.
      if (toHex(before) !== toHex(body)) fail(new PairingError('interfered'))
      return
    }
    came.set(kind, body)
    waiting.get(kind)?.(body)
  }
  const stop = channel.onMessage(listen)
  const timer = setTimeout(() => fail(new PairingError('expired')), expiresAfter)
  const abort = (): void => fail(aborted())
  signal?.addEventListener('abort', abort)
  const orEnd = <T>(promise: Promise<T>): Promise<T> => Promise.race([failed, promise])

  return {
    signal: ended.signal,
    setTag: (bytes) => void (tag = toHex(bytes.subarray(0, tagBytes))),
    send,
    receive: (kind) =>
      orEnd(new Promise((resolve) => (came.has(kind) ? resolve(came.get(kind)!) : waiting.set(kind, resolve)))),
    orEnd,
    end: (error) => {
      clearTimeout(timer)
      signal?.removeEventListener('abort', abort)
      if (error !== undefined) {
        // Two joiners answered, and only one of them has this tag: both have to learn of the end.
        if (role === 'offerer' && error instanceof PairingError && error.problem === 'interfered') tag = noTag
        try {
          send(role === 'offerer' ? 'offererLeft' : 'joinerLeft')
        } catch {
          // A closed channel reports that by itself. The other side gives up when its time is over.
        }
      }
      stop()
      ended.abort()
    },
  }
}
