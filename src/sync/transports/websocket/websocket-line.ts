import { messageYjsSyncStep1, messageYjsUpdate } from 'y-protocols/sync'
import { encodeStateVector } from 'yjs'
import type { LinkStatus, SyncConnection, SyncLink } from '../../link.ts'
import { createDocumentLine } from '../document-line.ts'
import { createOutbox } from '../outbox.ts'
import { createSocketGate } from '../socket-gate.ts'
import { createDetachedProvider } from './detached-provider.ts'
import { readServerVector } from './read-server-vector.ts'
import { createSocketDrain } from './socket-drain.ts'
import { websocketAwarenessFrame, websocketSyncFrame } from './websocket-frame.ts'
import { takeServerVector, websocketIncoming } from './websocket-incoming.ts'
import type { WebsocketTransportOptions } from './websocket-options.ts'

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
  const { name, doc } = link
  const line = createDocumentLine(link)
  const gate = createSocketGate(WebSocket)
  const drain = createSocketDrain(gate.buffered)
  const provider = createDetachedProvider()
  const outbox = createOutbox({
    doc,
    origin: line.connection,
    fail: line.fail,
    send: (update) => {
      gate.send(websocketSyncFrame(messageYjsUpdate, update))
      return drain.drained()
    },
  })
  const askOnGate = (): void => gate.send(websocketSyncFrame(messageYjsSyncStep1, encodeStateVector(doc)))
  const beating = setInterval(askOnGate, beat)
  let address = ''
  let stopReading: (() => void) | undefined

  gate.guardedBy({
    opened: () => line.send({ type: 'reached', isReadonly: false }),
    incoming: websocketIncoming({ link, line, outbox }),
    ended: (code, reason) => line.end(statusAfter(code, reason)),
  })
  line.begin({
    connect: async () => {
      line.send({ type: 'waiting', ms: patience })
      try {
        address = await provider.open({ url, name, doc, params, WebSocket: gate.WebSocket })
      } catch (error) {
        line.fail(error as Error)
      }
    },
    publish: (update) => gate.send(websocketAwarenessFrame(update)),
    ask: async (done) => {
      if (address !== '') await outbox.idle()
      if (address === '' || line.isOver()) return done()
      askOnGate()
      stopReading = readServerVector(WebSocket, address, (vector) => {
        done()
        if (vector !== undefined) takeServerVector({ link, line, outbox }, vector)
      })
    },
    release: () => {
      clearInterval(beating)
      stopReading?.()
      drain.close()
      outbox.close()
      gate.close()
      provider.close()
      onEnd()
    },
  })
  return line.connection
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
