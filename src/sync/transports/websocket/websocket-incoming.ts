import * as decoding from 'lib0/decoding'
import { messageYjsSyncStep1, messageYjsUpdate } from 'y-protocols/sync'
import type { SyncLink } from '../../link.ts'
import type { DocumentLine } from '../document-line.ts'
import type { Outbox } from '../outbox.ts'
import type { GateKeeper } from '../socket-gate.ts'
import { messageType, websocketSyncFrame } from './websocket-frame.ts'

/** An update that holds nothing. */
const nothing = new Uint8Array([0, 0])

interface WebsocketIncomingOptions {
  readonly link: SyncLink
  readonly line: DocumentLine
  readonly outbox: Outbox
}

/** What to do for the frames of a server about one document. */
export function websocketIncoming(options: WebsocketIncomingOptions): GateKeeper['incoming'] {
  const { line } = options
  return (bytes, show) => {
    const decoder = decoding.createDecoder(bytes)
    const type = decoding.readVarUint(decoder)
    if (type === messageType.sync) return takeSync(options, decoder, show)
    if (type === messageType.awareness) return line.presence()?.receive(decoding.readVarUint8Array(decoder))
    const isDenied = type === messageType.auth && decoding.readVarUint(decoder) === 0
    if (isDenied) line.end({ state: 'denied', message: decoding.readVarString(decoder) })
  }
}

function takeSync(
  options: WebsocketIncomingOptions,
  decoder: decoding.Decoder,
  show: (frame: Uint8Array) => void,
): void {
  const { link, line, outbox } = options
  const kind = decoding.readVarUint(decoder)
  const payload = decoding.readVarUint8Array(decoder)
  line.send({ type: 'answered' })
  if (kind === messageYjsSyncStep1) return takeServerVector(options, payload)
  void line.inTurn(async () => {
    await link.receive(payload, line.connection)
    if (line.isOver()) return
    if (kind !== messageYjsUpdate) outbox.peerAnswered(payload)
    // The library needs to see each frame, but never its content.
    show(websocketSyncFrame(kind, nothing))
  })
}

/** The server says what it has. */
export function takeServerVector({ link, line, outbox }: WebsocketIncomingOptions, stateVector: Uint8Array): void {
  outbox.peerHas(stateVector, true)
  void line.inTurn(() => link.peerHas(stateVector))
}
