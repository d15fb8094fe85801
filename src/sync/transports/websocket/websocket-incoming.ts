import * as decoding from 'lib0/decoding'
import { messageYjsSyncStep1, messageYjsUpdate } from 'y-protocols/sync'
import type { SyncConnection, SyncLink } from '../../link.ts'
import type { ConnectedPresence } from '../connect-presence.ts'
import type { LineLifetime } from '../line-lifetime.ts'
import type { Outbox } from '../outbox.ts'
import type { GateKeeper } from '../socket-gate.ts'
import { messageType, websocketSyncFrame } from './websocket-frame.ts'

/** An update that holds nothing. */
const nothing = new Uint8Array([0, 0])

export interface WebsocketIncomingOptions {
  readonly link: SyncLink
  readonly connection: SyncConnection
  readonly lifetime: LineLifetime
  readonly outbox: Outbox
  readonly presence: ConnectedPresence | undefined
  /** The server has answered. */
  readonly onAnswer: () => void
  /** The server says what it has. */
  readonly onVector: (stateVector: Uint8Array) => void
}

/** What to do for the frames of a server about one document. */
export function websocketIncoming(options: WebsocketIncomingOptions): GateKeeper['incoming'] {
  const { link, connection, lifetime, outbox, presence, onAnswer, onVector } = options

  const onSync = (decoder: decoding.Decoder, show: (frame: Uint8Array) => void): void => {
    const kind = decoding.readVarUint(decoder)
    const payload = decoding.readVarUint8Array(decoder)
    onAnswer()
    if (kind === messageYjsSyncStep1) return onVector(payload)
    lifetime.inTurn(async () => {
      await link.receive(payload, connection)
      if (lifetime.isOver()) return
      if (kind !== messageYjsUpdate) outbox.peerAnswered(payload)
      // The library needs to see each frame, but never its content.
      show(websocketSyncFrame(kind, nothing))
    })
  }

  return (bytes, show) => {
    const decoder = decoding.createDecoder(bytes)
    const type = decoding.readVarUint(decoder)
    if (type === messageType.sync) return onSync(decoder, show)
    if (type === messageType.awareness) return presence?.receive(decoding.readVarUint8Array(decoder))
    const isDenied = type === messageType.auth && decoding.readVarUint(decoder) === 0
    if (isDenied) lifetime.end({ state: 'denied', message: decoding.readVarString(decoder) })
  }
}
