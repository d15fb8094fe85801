import { Refusal } from '../refusal.js'
import { ignoreSocketErrors } from './ignore-socket-errors.js'
import { isReadable } from './is-readable.js'
import { tokenBucket } from './token-bucket.js'

/** WebSocket close codes of applications begin at 4000. */
const RATE_LIMITED = 4429
/** The WebSocket close code for messages that cannot be read. */
const MALFORMED = 1002
const OPEN = 1
/** The memory that a waiting message takes in addition to its bytes. */
const OVERHEAD = 256

/**
 * Checks the messages of each WebSocket as they arrive, before Hocuspocus queues them. Disconnects clients that send
 * too fast (they reconnect later), that send messages which cannot be read, or that do not read. A message that is too
 * long closes its document.
 *
 * @param {import('@hocuspocus/server').Hocuspocus} hocuspocus
 * @param {import('../options.js').Limits} limits
 * @param {import('../http/metrics.js').Metrics} metrics
 * @param {ReturnType<typeof import('./limit-backlog.js').limitBacklog>} backlog
 * @returns {Set<import('@hocuspocus/server').WebSocketLike>} the open ones
 */
export function limitConnections(hocuspocus, limits, metrics, backlog) {
  /** @type {Set<import('@hocuspocus/server').WebSocketLike>} */
  const sockets = new Set()
  const connect = hocuspocus.handleConnection.bind(hocuspocus)
  hocuspocus.handleConnection = (socket, request, context) => {
    const takeMessages = tokenBucket({ perSecond: limits.messagesPerSecond, burst: limits.messageBurst })
    const takeBytes = tokenBucket({ perSecond: limits.bytesPerSecond, burst: limits.byteBurst })
    let isOver = false
    /** Bytes that wait because a client does not read: its own messages, and those for it. */
    let held = 0
    let behind = 0
    /**
     * @param {number} code
     * @param {import('../refusal.js').RefusalName} reason
     */
    const end = (code, reason) => {
      if (isOver) return
      isOver = true
      metrics.refuse(reason)
      socket.close(code, reason)
    }
    /** A client that does not read would not read a reason, and a normal close would wait for everything before it. */
    const cut = () => {
      end(RATE_LIMITED, 'reads-too-slowly')
      const raw = /** @type {import('./limit-backlog.js').Socket} */ (socket)
      raw.terminate()
    }
    const send = socket.send.bind(socket)
    socket.send = (/** @type {Uint8Array<ArrayBuffer>} */ data) => {
      behind = backlog.isFull(socket) ? behind + data.byteLength : 0
      if (behind <= limits.byteBurst) return send(data)
      cut()
    }
    const client = connect(socket, request, context)
    const { handleMessage } = client
    const handleClose = client.handleClose.bind(client)
    sockets.add(socket)
    ignoreSocketErrors(socket)
    client.handleMessage = (data) => {
      if (isOver || socket.readyState !== OPEN) return
      metrics.count('received_bytes_total', data.byteLength)
      if (!takeMessages(1) || !takeBytes(data.byteLength)) return end(RATE_LIMITED, 'rate-limited')
      if (!isReadable(data)) return end(MALFORMED, 'malformed-message')
      held = backlog.isWaiting(socket) ? held + data.byteLength + OVERHEAD : 0
      if (held > limits.byteBurst) return cut()
      handleMessage(data)
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
 * The extension that refuses long messages. It needs to know their document.
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
