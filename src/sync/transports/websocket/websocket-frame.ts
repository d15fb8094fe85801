import * as encoding from 'lib0/encoding'

/** Kinds of y-websocket's messages. */
export const messageType = { sync: 0, awareness: 1, auth: 2 } as const

/** A frame of y-protocols' sync messages. */
export function websocketSyncFrame(kind: number, payload: Uint8Array): Uint8Array {
  return frame(messageType.sync, (encoder) => {
    encoding.writeVarUint(encoder, kind)
    encoding.writeVarUint8Array(encoder, payload)
  })
}

export function websocketAwarenessFrame(update: Uint8Array): Uint8Array {
  return frame(messageType.awareness, (encoder) => encoding.writeVarUint8Array(encoder, update))
}

function frame(type: number, write: (encoder: encoding.Encoder) => void): Uint8Array {
  const encoder = encoding.createEncoder()
  encoding.writeVarUint(encoder, type)
  write(encoder)
  return encoding.toUint8Array(encoder)
}
