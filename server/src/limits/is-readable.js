import { IncomingMessage, MessageType } from '@hocuspocus/server'

/**
 * Whether a message has the head that Hocuspocus reads before it knows the sender: a document's name, a type, and a
 * token where one is required. For a message without it, Hocuspocus writes an error with its stack to the log.
 *
 * @param {Uint8Array} data
 */
export function isReadable(data) {
  try {
    const message = new IncomingMessage(data)
    message.readVarString()
    if (message.readVarUint() !== MessageType.Auth) return true
    message.readVarUint()
    message.readVarString()
    // The version of the provider, which older providers do not send.
    if (message.decoder.pos < data.length) message.readVarString()
    return true
  } catch {
    return false
  }
}
