import { SessionError } from '../../contract/errors.ts'
import type { Bytes } from './bytes.ts'
import { toHex } from './hex.ts'
import { PairingError } from './pairing-error.ts'
import {
  noTag,
  type PairingMessageKind,
  type PairingRole,
  readPairingMessage,
  tagBytes,
  writePairingMessage,
} from './pairing-inbox.ts'

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

  const send = (kind: PairingMessageKind, body: Uint8Array = new Uint8Array()): void =>
    channel.send(writePairingMessage(kind, tag, body))
  const listen = (message: Uint8Array): void => {
    const arrival = readPairingMessage(message, role, tag, came)
    if (arrival.means === 'left') fail(new PairingError('refused'))
    if (arrival.means === 'interfered') fail(new PairingError('interfered'))
    if (arrival.means === 'message') {
      came.set(arrival.kind, arrival.body)
      waiting.get(arrival.kind)?.(arrival.body)
    }
    if (arrival.means !== 'greeted') return
    try {
      onHello?.(send)
    } catch (error) {
      fail(error)
    }
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
        sayGoodbye(role, send)
      }
      stop()
      ended.abort()
    },
  }
}

function sayGoodbye(role: PairingRole, send: PairingTalk['send']): void {
  try {
    send(role === 'offerer' ? 'offererLeft' : 'joinerLeft')
  } catch {
    // A closed channel reports that by itself. The other side gives up when its time is over.
  }
}
