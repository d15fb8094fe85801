import { IncomingMessage, MessageType } from '@hocuspocus/server'

/**
 * Whether a message has the head that Hocuspocus reads before it knows who sends it: a document's name, a type, and a token where one is
 * due. Where it has none, Hocuspocus writes an error with its stack to the log.
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
    // The version of the provider, which older ones don't tell.
    if (message.decoder.pos < data.length) message.readVarString()
    return true
  } catch {
    return false
  }
}
