import * as decoding from 'lib0/decoding'
import * as encoding from 'lib0/encoding'

/** The kinds of frames in Hocuspocus' protocol that matter here. */
export const frameType = { sync: 0, awareness: 1, auth: 2, close: 7, syncStatus: 8, ping: 9 } as const

const messagePermissionDenied = 1

/** A frame: the document it is about, its type, and a decoder at its content. */
export interface HocuspocusFrame {
  readonly name: string
  readonly type: number
  readonly decoder: decoding.Decoder
}

/** `undefined` for a ping, which is about the connection. @throws when it is cut short */
export function readFrame(bytes: Uint8Array): HocuspocusFrame | undefined {
  if (bytes.length === 1 && bytes[0] === frameType.ping) return undefined
  const decoder = decoding.createDecoder(bytes)
  const name = decoding.readVarString(decoder)
  return { name, type: decoding.readVarUint(decoder), decoder }
}

/** Whether the server refuses to open the document. */
export function isDenial({ type, decoder }: HocuspocusFrame): boolean {
  return type === frameType.auth && decoding.readVarUint(decoder) === messagePermissionDenied
}

/** A frame of y-protocols' sync messages. */
export function syncFrame(name: string, message: number, payload: Uint8Array): Uint8Array {
  return frame(name, (encoder) => {
    encoding.writeVarUint(encoder, frameType.sync)
    encoding.writeVarUint(encoder, message)
    encoding.writeVarUint8Array(encoder, payload)
  })
}

export function awarenessFrame(name: string, update: Uint8Array): Uint8Array {
  return frame(name, (encoder) => {
    encoding.writeVarUint(encoder, frameType.awareness)
    encoding.writeVarUint8Array(encoder, update)
  })
}

function frame(name: string, write: (encoder: encoding.Encoder) => void): Uint8Array {
  const encoder = encoding.createEncoder()
  encoding.writeVarString(encoder, name)
  write(encoder)
  return encoding.toUint8Array(encoder)
}
