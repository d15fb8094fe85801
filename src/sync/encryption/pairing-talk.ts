import { SessionError } from '../../contract/errors.ts'
import { type Bytes, bytesOf } from './bytes.ts'
import { fromHex, toHex } from './hex.ts'
import { PairingError } from './pairing-error.ts'

/** What carries a pairing's few messages, each under 300 bytes: a BroadcastChannel, a document's awareness, anything that the two devices share. */
export interface PairingChannel {
  send(bytes: Uint8Array): void
  /** Every message of others (one's own do no harm). @returns what ends it */
  onMessage(listener: (bytes: Uint8Array) => void): () => void
}

export interface PairingTalkOptions {
  readonly channel: PairingChannel
  readonly signal?: AbortSignal
  /** Milliseconds until it is given up. Default: 5 minutes. */
  readonly expiresAfter?: number
}

const kinds = ['hello', 'commit', 'reply', 'reveal', 'key', 'done', 'offererLeft', 'joinerLeft'] as const
export type PairingMessageKind = (typeof kinds)[number]
export type PairingRole = 'offerer' | 'joiner'
const noTag = '00'.repeat(8)

/** Who listens to what. */
const heard: Readonly<Record<PairingRole, readonly PairingMessageKind[]>> = {
  offerer: ['commit', 'reveal', 'done', 'joinerLeft'],
  joiner: ['hello', 'reply', 'key', 'offererLeft'],
}

const version = 1
/** Start of the joiner's commitment: whose messages belong together. */
const tagBytes = 8
const headBytes = 2 + tagBytes

/** One side of a pairing: what it says and hears, until it ends in one way or another. */
export interface PairingTalk {
  /** Aborts with the end, however it comes: what the app shows can go. */
  readonly signal: AbortSignal
  /** From now on, nobody else's messages count. */
  setTag(tag: Uint8Array): void
  send(kind: PairingMessageKind, body?: Uint8Array): void
  /** The body of the message of this kind. @throws PairingError, Aborted */
  receive(kind: PairingMessageKind): Promise<Bytes>
  /** The promise, unless the pairing ends before. */
  orEnd<T>(promise: Promise<T>): Promise<T>
  /** @param error - why, unless all went well: the other side is told */
  end(error?: unknown): void
}

/**
 * @param onHello - an offerer has come, who may have missed what was said before
 * @throws InvalidInput, Aborted
 */
export function openPairingTalk(role: PairingRole, { channel, signal, expiresAfter = 300_000 }: PairingTalkOptions, onHello?: (send: PairingTalk['send']) => void): PairingTalk {
  if (!(expiresAfter > 0)) throw new SessionError('InvalidInput', 'A pairing needs some time: pass a positive number of milliseconds.')
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
    if (kind === undefined || !heard[role].includes(kind)) return
    if (kind === 'hello') {
      try {
        return onHello?.(send)
      } catch (error) {
        return fail(error)
      }
    }
    const theirs = toHex(message.subarray(2, headBytes))
    // An offerer who leaves before it heard of anybody has no tag; a second joiner is told by its commitment, whatever its tag.
    if (kind === 'offererLeft' ? theirs !== tag && theirs !== noTag : kind !== 'commit' && theirs !== tag) return
    if (kind === 'joinerLeft' || kind === 'offererLeft') return fail(new PairingError('refused'))
    const body = message.slice(headBytes)
    const before = came.get(kind)
    if (before !== undefined) {
      // What comes once more is heard once; another one in its place is somebody else's.
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
    receive: (kind) => orEnd(new Promise((resolve) => (came.has(kind) ? resolve(came.get(kind)!) : waiting.set(kind, resolve)))),
    orEnd,
    end: (error) => {
      clearTimeout(timer)
      signal?.removeEventListener('abort', abort)
      if (error !== undefined) {
        // Two answered, and only one of them has this tag: the end is for both.
        if (role === 'offerer' && error instanceof PairingError && error.problem === 'interfered') tag = noTag
        try {
          send(role === 'offerer' ? 'offererLeft' : 'joinerLeft')
        } catch {
          // A channel that is gone says so by itself; the other side gives up when its time is over.
        }
      }
      stop()
      ended.abort()
    },
  }
}
