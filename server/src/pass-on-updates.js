import { OutgoingMessage } from '@hocuspocus/server'

/**
 * Sends each update to everybody who has the document open, except for its sender: Hocuspocus sends it back to the
 * sender, too, which doubles the traffic of a client that uploads. Needs `flushDelay: false`, with which Hocuspocus
 * does not combine updates of several origins.
 *
 * @type {import('@hocuspocus/server').Extension}
 */
export const passOnUpdates = {
  async afterLoadDocument({ document }) {
    // Replaces Hocuspocus' own broadcast, which does not know the origin. Nobody is connected before this.
    Object.assign(document, { broadcastUpdate: () => {} })
    document.on('update', (/** @type {Uint8Array} */ update, /** @type {{ connection?: unknown } | null} */ origin) => {
      /** @type {Map<string, Uint8Array>} */
      const frames = new Map()
      for (const connection of document.getConnections()) {
        if (connection === origin?.connection) continue
        const address = connection.messageAddress
        const frame =
          frames.get(address) ?? new OutgoingMessage(address).createSyncMessage().writeUpdate(update).toUint8Array()
        frames.set(address, frame)
        connection.send(frame)
      }
    })
  },
}
