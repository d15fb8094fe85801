import { parseDocumentName } from '../checks/parse-document-name.js'
import { Refusal } from '../refusal.js'
import { decide } from './decide.js'

/** The longest a timer can be set for, in milliseconds. */
const LONGEST = 2 ** 31 - 1

/**
 * The extension that opens documents to those who have access, and closes them when their token has expired.
 *
 * @param {{ authorise: import('../options.js').Authorise, limits: import('../options.js').Limits, metrics: import('../http/metrics.js').Metrics, isStopping: () => boolean }} setup
 * @returns {import('@hocuspocus/server').Extension}
 */
export function guardDocuments({ authorise, limits, metrics, isStopping }) {
  /** Open documents, by socket. @type {Map<string, number>} */
  const open = new Map()
  /** @type {WeakMap<import('@hocuspocus/server').Connection, NodeJS.Timeout>} */
  const timers = new WeakMap()

  /**
   * @param {import('@hocuspocus/server').Connection} connection
   * @param {number | undefined} expires
   */
  const closeAt = (connection, expires) => {
    clearTimeout(timers.get(connection))
    if (expires === undefined) return
    const left = expires - Date.now()
    const timer = setTimeout(
      () => {
        if (left > LONGEST) return closeAt(connection, expires)
        metrics.refuse('token-expired')
        connection.close(new Refusal('token-expired'))
      },
      Math.min(left, LONGEST),
    )
    timer.unref()
    timers.set(connection, timer)
  }

  /**
   * @param {string} token
   * @param {string} documentName
   */
  const judge = async (token, documentName) => {
    try {
      if (isStopping()) throw new Refusal('stopping')
      if (parseDocumentName(documentName) === undefined) throw new Refusal('bad-name')
      return await decide(authorise, token, documentName)
    } catch (refusal) {
      metrics.refuse(/** @type {Refusal} */ (refusal).name)
      throw refusal
    }
  }

  return {
    async onAuthenticate({ token, documentName, connectionConfig, socketId }) {
      if ((open.get(socketId) ?? 0) >= limits.documents) {
        metrics.refuse('too-many-documents')
        throw new Refusal('too-many-documents', `${limits.documents} on one connection`)
      }
      const { access, expires } = await judge(token, documentName)
      connectionConfig.readOnly = access === 'read'
      return { expires }
    },
    async connected({ connection, socketId, context }) {
      open.set(socketId, (open.get(socketId) ?? 0) + 1)
      connection.onClose(() => {
        clearTimeout(timers.get(connection))
        const left = (open.get(socketId) ?? 1) - 1
        if (left === 0) open.delete(socketId)
        else open.set(socketId, left)
      })
      closeAt(connection, context.expires)
    },
    async onTokenSync({ token, documentName, connection }) {
      const { access, expires } = await judge(token, documentName)
      connection.readOnly = access === 'read'
      closeAt(connection, expires)
    },
  }
}
