import { Refusal } from '../refusal.js'
import { tokenBucket } from './token-bucket.js'

/** WebSocket close codes of our own begin at 4000. */
const RATE_LIMITED = 4429

/**
 * Watches over each WebSocket as its messages arrive, before Hocuspocus queues them: what comes faster than allowed ends the connection
 * (the client comes back later), a message that is too long ends its document.
 *
 * @param {import('@hocuspocus/server').Hocuspocus} hocuspocus
 * @param {import('../options.js').Limits} limits
 * @param {import('../http/metrics.js').Metrics} metrics
 * @returns {Set<import('@hocuspocus/server').WebSocketLike>} the open ones
 */
export function limitConnections(hocuspocus, limits, metrics) {
  /** @type {Set<import('@hocuspocus/server').WebSocketLike>} */
  const sockets = new Set()
  const connect = hocuspocus.handleConnection.bind(hocuspocus)
  hocuspocus.handleConnection = (socket, request, context) => {
    const client = connect(socket, request, context)
    const takeMessages = tokenBucket({ perSecond: limits.messagesPerSecond, burst: limits.messageBurst })
    const takeBytes = tokenBucket({ perSecond: limits.bytesPerSecond, burst: limits.byteBurst })
    const { handleMessage } = client
    const handleClose = client.handleClose.bind(client)
    let isOver = false
    sockets.add(socket)
    client.handleMessage = (data) => {
      if (isOver) return
      metrics.count('received_bytes_total', data.byteLength)
      if (takeMessages(1) && takeBytes(data.byteLength)) return handleMessage(data)
      isOver = true
      metrics.refuse('rate-limited')
      socket.close(RATE_LIMITED, 'rate-limited')
    }
    client.handleClose = (event) => {
      sockets.delete(socket)
      handleClose(event)
    }
    return client
  }
  return sockets
}

/**
 * The extension that refuses long messages, for which it must know their document.
 *
 * @param {import('../options.js').Limits} limits
 * @param {import('../http/metrics.js').Metrics} metrics
 * @returns {import('@hocuspocus/server').Extension}
 */
export function limitMessages(limits, metrics) {
  return {
    async beforeHandleMessage({ update }) {
      if (update.byteLength <= limits.messageBytes) return
      metrics.refuse('message-too-big')
      throw new Refusal('message-too-big', `${update.byteLength} of ${limits.messageBytes} bytes`)
    },
  }
}
