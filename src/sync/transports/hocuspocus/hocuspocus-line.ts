import { HocuspocusProvider, type HocuspocusProviderWebsocket } from '@hocuspocus/provider'
import * as decoding from 'lib0/decoding'
import { messageYjsSyncStep1, messageYjsUpdate } from 'y-protocols/sync'
import type { LinkStatus, SyncConnection, SyncLink } from '../../link.ts'
import { createTaskQueue } from '../../task-queue.ts'
import { sameBytes } from '../../same-bytes.ts'
import { createOutbox } from '../outbox.ts'
import { connectPresence } from '../presence.ts'
import type { SocketGate } from '../socket-gate.ts'
import { vectorWith } from '../vector-with.ts'
import { awarenessFrame, frameType, type HocuspocusFrame, syncFrame } from './hocuspocus-frame.ts'
import { isTooLong, refusalStatus } from './refusal-status.ts'
import type { RefusedSizes } from './refused-sizes.ts'

/** Pieces on their way that the server has not confirmed. */
const mostUnconfirmed = 4
const nothing = new Uint8Array([0, 0])

export interface HocuspocusLineOptions {
  readonly link: SyncLink
  readonly token: () => Promise<string> | string
  readonly gate: SocketGate
  readonly provider: HocuspocusProviderWebsocket
  /** How long the token may take, and then the server for its first answer, in milliseconds. */
  readonly patience: number
  readonly sizes: RefusedSizes
  /** Resolves when the document may be opened, with what tells that it is. */
  readonly turn: () => Promise<() => void>
  /** Called once. `mustLeave`: the server thinks the document open until it says otherwise. */
  readonly onEnd: (mustLeave: boolean) => void
}

/** One document on a connection. */
export interface HocuspocusLine {
  readonly connection: SyncConnection
  incoming(frame: HocuspocusFrame, bytes: Uint8Array, show: (frame: Uint8Array) => void): void
  /** The longest that was sent and that the server has not confirmed, in bytes. */
  longestUnconfirmed(): number
  isConnected(): boolean
  end(status: LinkStatus): void
}

export function openHocuspocusLine({ link, token, gate, provider: socket, patience, sizes, turn, onEnd }: HocuspocusLineOptions): HocuspocusLine {
  const { name, doc, awareness } = link
  let provider: HocuspocusProvider | undefined
  let giveBack: (() => void) | undefined
  let timer: ReturnType<typeof setTimeout> | undefined
  const arrivals = createTaskQueue()
  /** What is on its way, oldest first. */
  const unconfirmed: Uint8Array[] = []
  /** What was sent and has not come back: Hocuspocus sends every update to whoever it comes from, too, after it has confirmed it. */
  const echoes: Uint8Array[] = []
  /** What has come and is not in the document yet. */
  const arriving = new Set<Uint8Array>()
  let confirmed: (() => void)[] = []
  let answered: () => void = () => undefined
  /** Until what the other side had has been taken in. */
  const answer = new Promise<void>((resolve) => (answered = resolve))
  let hasSpoken = false
  let isConnected = false
  let isAsking = false
  let isOver = false

  const finish = (mustLeave: boolean): void => {
    if (isOver) return
    presence?.close()
    isOver = true
    clearTimeout(timer)
    outbox.close()
    confirm()
    answered()
    // The server would take a goodbye from a document that it has closed, or never heard of, for the opening of one.
    const isKnown = mustLeave && hasSpoken
    if (!isKnown) socket.configuration.providerMap.delete(name)
    provider?.destroy()
    giveBack?.()
    onEnd(isKnown)
  }
  const end = (status: LinkStatus, mustLeave: boolean): void => {
    if (isOver) return
    finish(mustLeave)
    link.status(status)
  }

  const confirm = (): void => {
    const waiting = confirmed
    confirmed = []
    for (const resolve of waiting) resolve()
  }
  const longestUnconfirmed = (): number => unconfirmed.reduce((most, { length }) => Math.max(most, length), 0)
  /** Until fewer than so many are unconfirmed. */
  const untilUnconfirmed = async (count: number): Promise<void> => {
    while (unconfirmed.length >= count && !isOver) await new Promise<void>((resolve) => confirmed.push(resolve))
  }

  const connection: SyncConnection = {
    ask: () => {
      if (isAsking || isOver) return
      isAsking = true
      // The answer brings all that came meanwhile once more: so it is asked for when it can be given at once.
      void outbox.idle().then(() => untilUnconfirmed(1)).then(() => {
        isAsking = false
        if (!isOver && isConnected) gate.send(syncFrame(name, messageYjsSyncStep1, vectorWith(doc, arriving)))
      })
    },
    close: async () => {
      finish(true)
      await arrivals.done()
    },
  }
  const outbox = createOutbox({
    doc,
    origin: connection,
    fail: ({ message }) => end({ state: 'error', message }, true),
    send: async (update) => {
      if (sizes.isRefused(update.length)) {
        // What the others wrote still comes.
        await answer
        return end({ state: 'oversized', message: `an entry is too long for the server, which takes no message of ${update.length} bytes` }, true)
      }
      unconfirmed.push(update)
      echoes.push(update)
      echoes.splice(0, echoes.length - mostUnconfirmed)
      gate.send(syncFrame(name, messageYjsUpdate, update))
      await untilUnconfirmed(mostUnconfirmed)
    },
  })
  const presence = awareness && connectPresence(awareness, connection, (update) => isConnected && gate.send(awarenessFrame(name, update)))

  /** For whoever comes next: a token that never does must not hold the turn of another document. */
  const wait = (): void => {
    clearTimeout(timer)
    timer = setTimeout(() => end({ state: 'offline' }, true), patience)
  }
  const start = async (): Promise<void> => {
    // The statuses come later than `open` returns.
    await Promise.resolve()
    if (isOver) return
    link.status({ state: 'connecting' })
    giveBack = await turn()
    if (isOver) return giveBack()
    wait()
    let first: string | undefined
    try {
      first = await token()
    } catch (error) {
      return end({ state: 'error', message: `the token could not be had: ${(error as Error).message}` }, false)
    }
    if (isOver) return
    wait()
    provider = new HocuspocusProvider({
      name,
      document: doc,
      websocketProvider: socket,
      awareness: null,
      token: async () => {
        const now = first ?? (await token())
        first = undefined
        return now
      },
      onOutgoingMessage: () => {
        hasSpoken = true
      },
      onAuthenticated: ({ scope }) => {
        giveBack?.()
        isConnected = true
        if (scope === 'readonly') outbox.close()
        link.status({ state: scope === 'readonly' ? 'readonly' : 'connected' })
        presence?.greet()
      },
      onAuthenticationFailed: ({ reason }) => end(refusalStatus(reason, !isConnected, 0), false),
    })
    // The outbox sends them, in pieces and only what the server lacks.
    doc.off('update', provider.boundDocumentUpdateHandler)
    provider.attach()
  }

  const onSync = (decoder: decoding.Decoder, show: (frame: Uint8Array) => void): void => {
    const message = decoding.readVarUint(decoder)
    const payload = decoding.readVarUint8Array(decoder)
    if (message === messageYjsSyncStep1) {
      clearTimeout(timer)
      // At once, in the order of its confirmations.
      outbox.peerHas(payload, unconfirmed.length === 0)
      return inTurn(() => link.peerHas(payload))
    }
    const echo = message === messageYjsUpdate ? echoes.findIndex((update) => sameBytes(update, payload)) : -1
    if (echo >= 0) {
      echoes.splice(echo, 1)
      return show(syncFrame(name, message, nothing))
    }
    arriving.add(payload)
    inTurn(async () => {
      await link.receive(payload, connection)
      arriving.delete(payload)
      if (isOver) return
      if (message !== messageYjsUpdate) {
        outbox.peerAnswered(payload)
        answered()
      }
      show(syncFrame(name, message, nothing))
    })
  }
  const inTurn = (task: () => Promise<void> | void): void =>
    void arrivals.run(async () => {
      if (!isOver) await task()
    }).catch(({ message }: Error) => end({ state: 'error', message }, true))

  void start()
  return {
    connection,
    longestUnconfirmed,
    isConnected: () => isConnected && !isOver,
    end: (status) => end(status, true),
    incoming: ({ type, decoder }, bytes, show) => {
      if (type === frameType.sync) return onSync(decoder, show)
      if (type === frameType.awareness) return presence?.receive(decoding.readVarUint8Array(decoder))
      if (type === frameType.auth) return show(bytes)
      if (type === frameType.close) {
        const reason = decoding.readVarString(decoder)
        if (isTooLong(reason)) sizes.refuse(longestUnconfirmed())
        const status = refusalStatus(reason, false, longestUnconfirmed())
        return inTurn(() => end(status, false))
      }
      if (type !== frameType.syncStatus) return
      const isStored = decoding.readVarInt(decoder) === 1
      unconfirmed.shift()
      confirm()
      // What may not be written any more stays here.
      if (!isStored && !isOver) {
        outbox.close()
        link.status({ state: 'readonly' })
      }
      show(bytes)
    },
  }
}
