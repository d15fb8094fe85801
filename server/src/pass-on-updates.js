import { OutgoingMessage } from '@hocuspocus/server'

/**
 * Sends each update to everybody who has the document open, but for whoever it comes from: Hocuspocus sends it back to them, too, which
 * doubles the traffic of whoever uploads. Needs `flushDelay: false`, by which Hocuspocus doesn't gather updates of several origins.
 *
 * @type {import('@hocuspocus/server').Extension}
 */
export const passOnUpdates = {
  async afterLoadDocument({ document }) {
    // Hocuspocus' own way, which knows nothing of the origin. Nobody is connected before this.
    Object.assign(document, { broadcastUpdate: () => {} })
    document.on('update', (/** @type {Uint8Array} */ update, /** @type {{ connection?: unknown } | null} */ origin) => {
      /** @type {Map<string, Uint8Array>} */
      const frames = new Map()
      for (const connection of document.getConnections()) {
        if (connection === origin?.connection) continue
        const address = connection.messageAddress
        const frame = frames.get(address) ?? new OutgoingMessage(address).createSyncMessage().writeUpdate(update).toUint8Array()
        frames.set(address, frame)
        connection.send(frame)
      }
    })
  },
}
