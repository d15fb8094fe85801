import * as decoding from 'lib0/decoding'
import { messageYjsSyncStep1, messageYjsUpdate } from 'y-protocols/sync'
import type { SyncLink } from '../../link.ts'
import type { DocumentLine } from '../document-line.ts'
import type { Outbox } from '../outbox.ts'
import type { ArrivingUpdates } from './arriving-updates.ts'
import { frameType, type HocuspocusFrame, syncFrame } from './hocuspocus-frame.ts'
import { isTooLong, refusalStatus } from './refusal-status.ts'
import type { RefusedSizes } from './refused-sizes.ts'
import type { UnconfirmedUpdates } from './unconfirmed-updates.ts'

/** An update that holds nothing. */
const nothing = new Uint8Array([0, 0])

export interface HocuspocusIncomingOptions {
  readonly link: SyncLink
  readonly line: DocumentLine
  readonly outbox: Outbox
  readonly unconfirmed: UnconfirmedUpdates
  readonly arriving: ArrivingUpdates
  readonly sizes: RefusedSizes
}

/** Takes a frame of a server about one document. @param show - hands a frame on to the library */
export type HocuspocusIncoming = (frame: HocuspocusFrame, bytes: Uint8Array, show: Show) => void

type Show = (frame: Uint8Array) => void

export function hocuspocusIncoming(options: HocuspocusIncomingOptions): HocuspocusIncoming {
  const { line } = options
  return ({ type, decoder }, bytes, show) => {
    switch (type) {
      case frameType.auth:
        return show(bytes)
      case frameType.sync:
        return takeSync(options, decoder, show)
      case frameType.awareness:
        return line.presence()?.receive(decoding.readVarUint8Array(decoder))
      case frameType.close:
        return takeClose(options, decoding.readVarString(decoder))
      case frameType.syncStatus:
        options.unconfirmed.confirmOldest()
        // Not stored: the user may not write any more.
        if (decoding.readVarInt(decoder) !== 1) line.send({ type: 'refused' })
        return show(bytes)
    }
  }
}

function takeSync(options: HocuspocusIncomingOptions, decoder: decoding.Decoder, show: Show): void {
  const { link, line, outbox, unconfirmed, arriving } = options
  const message = decoding.readVarUint(decoder)
  const payload = decoding.readVarUint8Array(decoder)
  if (message === messageYjsSyncStep1) {
    line.send({ type: 'answered' })
    // Not in turn, because the answer belongs between the confirmations around it.
    outbox.peerHas(payload, unconfirmed.isEmpty())
    return void line.inTurn(() => link.peerHas(payload))
  }
  // The library needs to see each frame, but never its content.
  const showEmpty = (): void => show(syncFrame(link.name, message, nothing))
  if (message === messageYjsUpdate && unconfirmed.takeEcho(payload)) return showEmpty()
  arriving.add(payload)
  void line.inTurn(async () => {
    await link.receive(payload, line.connection)
    arriving.taken(payload)
    if (line.isOver()) return
    if (message !== messageYjsUpdate) {
      outbox.peerAnswered(payload)
      arriving.finish()
    }
    showEmpty()
  })
}

/** The server has closed the document. */
function takeClose({ line, unconfirmed, sizes }: HocuspocusIncomingOptions, reason: string): void {
  const longest = unconfirmed.longest()
  if (isTooLong(reason)) sizes.refuse(longest)
  const status = refusalStatus(reason, false, longest)
  void line.inTurn(() => line.end(status, false))
}
