import { messageYjsSyncStep1, messageYjsUpdate } from 'y-protocols/sync'
import { encodeStateVector } from 'yjs'
import type { LinkStatus, SyncConnection, SyncLink } from '../../link.ts'
import { connectPresence } from '../connect-presence.ts'
import { createLineLifetime } from '../line-lifetime.ts'
import { createOutbox } from '../outbox.ts'
import { createSocketGate } from '../socket-gate.ts'
import { createDetachedProvider } from './detached-provider.ts'
import { createSocketDrain } from './socket-drain.ts'
import { createVectorProbe } from './vector-probe.ts'
import { websocketAwarenessFrame, websocketSyncFrame } from './websocket-frame.ts'
import { websocketIncoming } from './websocket-incoming.ts'
import type { WebsocketTransportOptions } from './websocket-transport.ts'

/** How long the server may take to answer, in milliseconds. */
const patience = 30_000
/** Wait between questions in milliseconds: without answers, the library takes the connection for dead. */
const beat = 15_000

export interface WebsocketLineOptions extends Required<WebsocketTransportOptions> {
  readonly link: SyncLink
  readonly onEnd: () => void
}

/** One document on a connection of its own. */
export function openWebsocketLine({ link, url, params, WebSocket, onEnd }: WebsocketLineOptions): SyncConnection {
  const { name, doc, awareness } = link
  const provider = createDetachedProvider()
  let address = ''

  const lifetime = createLineLifetime({
    link,
    goodbye: () => presence?.close(),
    release: () => {
      clearTimeout(opening)
      clearInterval(beating)
      drain.close()
      outbox.close()
      probe.stop()
      gate.close()
      provider.close()
      onEnd()
    },
  })
  const { isOver, inTurn, end, close } = lifetime
  const ask = (): void => gate.send(websocketSyncFrame(messageYjsSyncStep1, encodeStateVector(doc)))
  const takeVector = (stateVector: Uint8Array): void => {
    outbox.peerHas(stateVector, true)
    inTurn(() => link.peerHas(stateVector))
  }
  const probe = createVectorProbe({
    WebSocket,
    address: () => address,
    idle: () => outbox.idle(),
    onAsk: ask,
    onVector: takeVector,
  })
  const connection: SyncConnection = {
    ask: () => {
      if (!isOver()) probe.ask()
    },
    close,
  }

  const drain = createSocketDrain(() => gate.buffered())
  const outbox = createOutbox({
    doc,
    origin: connection,
    fail: ({ message }) => end({ state: 'error', message }),
    send: (update) => {
      gate.send(websocketSyncFrame(messageYjsUpdate, update))
      return drain.drained()
    },
  })
  const presence =
    awareness && connectPresence(awareness, connection, (update) => gate.send(websocketAwarenessFrame(update)))

  const gate = createSocketGate(WebSocket, {
    opened: () => {
      link.status({ state: 'connected' })
      presence?.greet()
    },
    incoming: websocketIncoming({
      link,
      connection,
      lifetime,
      outbox,
      presence,
      onAnswer: () => clearTimeout(opening),
      onVector: takeVector,
    }),
    ended: (code, reason) => end(statusAfter(code, reason)),
  })
  const opening = setTimeout(() => end({ state: 'offline' }), patience)
  const beating = setInterval(ask, beat)

  const start = async (): Promise<void> => {
    // Statuses must come later than this returns.
    await Promise.resolve()
    if (isOver()) return
    link.status({ state: 'connecting' })
    try {
      address = await provider.open({ url, name, doc, params, WebSocket: gate.WebSocket })
    } catch (error) {
      end({ state: 'error', message: (error as Error).message })
    }
  }
  void start()
  return connection
}

function statusAfter(code: number, reason: string): LinkStatus {
  if (code === 1009)
    return {
      state: 'oversized',
      message: `the server ended the connection over a message that is too long for it (${reason})`,
    }
  // In y-websocket's convention, these codes are for what another attempt does not mend.
  if (code === 1008 || (code >= 4400 && code < 4500))
    return { state: 'denied', message: reason === '' ? String(code) : reason }
  return code === 1002 ? { state: 'error', message: reason } : { state: 'offline' }
}
