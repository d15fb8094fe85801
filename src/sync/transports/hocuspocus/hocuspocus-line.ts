import type { HocuspocusProviderWebsocket } from '@hocuspocus/provider'
import * as decoding from 'lib0/decoding'
import { messageYjsSyncStep1, messageYjsUpdate } from 'y-protocols/sync'
import type { LinkStatus, SyncConnection, SyncLink } from '../../link.ts'
import { connectPresence } from '../connect-presence.ts'
import { createLineLifetime } from '../line-lifetime.ts'
import { createOutbox } from '../outbox.ts'
import type { SocketGate } from '../socket-gate.ts'
import { vectorWith } from '../vector-with.ts'
import { askWhenIdle } from './ask-when-idle.ts'
import { openDocumentProvider } from './document-provider.ts'
import { awarenessFrame, frameType, type HocuspocusFrame, syncFrame } from './hocuspocus-frame.ts'
import { type LineHandlers, lineHandlers } from './line-handlers.ts'
import { refusalStatus } from './refusal-status.ts'
import type { RefusedSizes } from './refused-sizes.ts'
import { createUnconfirmedUpdates } from './unconfirmed-updates.ts'

export interface HocuspocusLineOptions {
  readonly link: SyncLink
  readonly token: () => Promise<string> | string
  readonly gate: SocketGate
  readonly provider: HocuspocusProviderWebsocket
  /** How long the token may take, and then the server for its first answer, in milliseconds. */
  readonly patience: number
  readonly sizes: RefusedSizes
  /** Resolves when the document may be opened, with what gives the turn back once it is open. */
  readonly turn: () => Promise<() => void>
  /** Called once. `mustLeave`: the server considers the document open until it has confirmed the end. */
  readonly onEnd: (mustLeave: boolean) => void
}

/** One document on a connection. */
export interface HocuspocusLine {
  readonly connection: SyncConnection
  incoming(frame: HocuspocusFrame, bytes: Uint8Array, show: (frame: Uint8Array) => void): void
  /** Length of the longest update that was sent and not confirmed, in bytes. */
  longestUnconfirmed(): number
  isConnected(): boolean
  end(status: LinkStatus): void
}

export function openHocuspocusLine({
  link,
  token,
  gate,
  provider: socket,
  patience,
  sizes,
  turn,
  onEnd,
}: HocuspocusLineOptions): HocuspocusLine {
  const { name, doc, awareness } = link
  const unconfirmed = createUnconfirmedUpdates((update) => gate.send(syncFrame(name, messageYjsUpdate, update)))
  /** What has arrived and is not in the document yet. */
  const arriving = new Set<Uint8Array>()
  let timer: ReturnType<typeof setTimeout> | undefined
  let answered: () => void = () => undefined
  /** Resolves when everything that the other side had is processed. */
  const answer = new Promise<void>((resolve) => (answered = resolve))
  let isConnected = false

  const { isOver, inTurn, end, close } = createLineLifetime({
    link,
    goodbye: () => presence?.close(),
    release: (mustLeave) => {
      clearTimeout(timer)
      outbox.close()
      unconfirmed.close()
      answered()
      const isKnown = mustLeave && opening.hasSpoken()
      opening.close(!isKnown)
      onEnd(isKnown)
    },
  })

  const settled = (): Promise<void> => outbox.idle().then(unconfirmed.allConfirmed)
  const ask = (): void =>
    void (isConnected && gate.send(syncFrame(name, messageYjsSyncStep1, vectorWith(doc, arriving))))
  const connection: SyncConnection = { ask: askWhenIdle(settled, ask, isOver), close }
  const outbox = createOutbox({
    doc,
    origin: connection,
    fail: ({ message }) => end({ state: 'error', message }),
    send: async (update) => {
      if (!sizes.isRefused(update.length)) return unconfirmed.add(update)
      // First take in what the others wrote.
      await answer
      end({
        state: 'oversized',
        message: `an entry is too long for the server, which takes no message of ${update.length} bytes`,
      })
    },
  })
  const presence =
    awareness &&
    connectPresence(awareness, connection, (update) => isConnected && gate.send(awarenessFrame(name, update)))

  const opening = openDocumentProvider({
    name,
    doc,
    socket,
    token,
    turn,
    onStart: () => link.status({ state: 'connecting' }),
    // Also for the document that comes next: a token that never arrives must not hold its turn.
    onWait: () => {
      clearTimeout(timer)
      timer = setTimeout(() => end({ state: 'offline' }), patience)
    },
    onOpen: (isReadonly) => {
      isConnected = true
      if (isReadonly) outbox.close()
      link.status({ state: isReadonly ? 'readonly' : 'connected' })
      presence?.greet()
    },
    onDenied: (reason) => end(refusalStatus(reason, !isConnected, 0), false),
    onTokenError: ({ message }) => end({ state: 'error', message: `the token could not be loaded: ${message}` }, false),
  })

  const handlers: LineHandlers = lineHandlers({
    link,
    connection,
    outbox,
    unconfirmed,
    arriving,
    sizes,
    inTurn,
    answered,
    isOver,
    onAnswer: () => clearTimeout(timer),
    end: (status) => end(status, false),
  })
  return {
    connection,
    longestUnconfirmed: unconfirmed.longest,
    isConnected: () => isConnected && !isOver(),
    end,
    incoming: ({ type, decoder }, bytes, show) => {
      if (type === frameType.auth) return show(bytes)
      if (type === frameType.sync) return handlers.sync(decoder, show)
      if (type === frameType.awareness) return presence?.receive(decoding.readVarUint8Array(decoder))
      if (type === frameType.close) return handlers.close(decoding.readVarString(decoder))
      if (type !== frameType.syncStatus) return
      handlers.confirmation(decoding.readVarInt(decoder) === 1)
      show(bytes)
    },
  }
}
