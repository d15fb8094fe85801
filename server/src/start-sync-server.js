import { randomBytes } from 'node:crypto'
import { Server } from '@hocuspocus/server'
import { authoriseByTokens } from './access/authorise-by-tokens.js'
import { guardDocuments } from './access/guard-documents.js'
import { skipPairingRooms } from './access/skip-pairing-rooms.js'
import { answerBlobs } from './blobs/answer-blobs.js'
import { checkOptions } from './check-options.js'
import { refuseGaps } from './checks/refuse-gaps.js'
import { refuseMalformed } from './checks/refuse-malformed.js'
import { catchUpRegularly } from './cluster/catch-up-regularly.js'
import { joinCluster } from './cluster/join-cluster.js'
import { answerHttp } from './http/answer-http.js'
import { createMetrics } from './http/metrics.js'
import { keepDocuments } from './keep-documents.js'
import { authenticateInTime } from './limits/authenticate-in-time.js'
import { DEFAULT_LIMITS } from './limits/default-limits.js'
import { limitBacklog } from './limits/limit-backlog.js'
import { limitConnections, limitMessages } from './limits/limit-connections.js'
import { limitPresence } from './limits/limit-presence.js'
import { listen } from './listen.js'
import { passOnUpdates } from './pass-on-updates.js'
import { openStorage } from './store/open-storage.js'
import { watchStorage } from './store/storage-health.js'
import { unloadUnused } from './unload-unused.js'

/**
 * Starts a sync server in this process.
 *
 * @param {import('./options.js').SyncServerOptions} [options]
 * @returns {Promise<import('./options.js').SyncServer>} once it listens; rejects when it can't, or with a `TypeError` for an option that
 * makes no sense
 */
export async function startSyncServer(options = {}) {
  checkOptions(options)
  const say = options.say ?? console.log
  const limits = { ...DEFAULT_LIMITS, ...options.limits }
  const hasRights = options.tokens !== undefined || options.authorise !== undefined
  const secret = options.secret ?? (hasRights ? '' : randomBytes(24).toString('base64url'))
  const tokens = [...(options.tokens ?? []), ...(secret === '' ? [] : [{ token: secret }])]
  const authorise = options.authorise ?? authoriseByTokens(tokens)
  const { store, blobs } = await openStorage(options, say)

  let isStopping = false
  const metrics = createMetrics()
  const health = watchStorage(store, say)
  const cluster = options.redis === undefined ? undefined : joinCluster(options.redis, say)
  const backlog = limitBacklog()
  const deadline = authenticateInTime(limits, metrics)
  const keeper = keepDocuments({ store: skipPairingRooms(store), health, limits, metrics, say })
  const server = new Server({
    quiet: true,
    stopOnSignals: false,
    port: options.port ?? 4466,
    address: options.address ?? '127.0.0.1',
    flushDelay: false,
    maxPendingDocuments: limits.documents,
    // Messages that are a little too long are refused by name; far longer ones are not read at all.
    websocketOptions: { maxPayload: 4 * limits.messageBytes },
    extensions: [
      limitMessages(limits, metrics),
      refuseMalformed(metrics),
      limitPresence(metrics),
      backlog.extension,
      guardDocuments({ authorise, limits, metrics, isStopping: () => isStopping }),
      deadline.extension,
      refuseGaps(metrics),
      keeper.extension,
      passOnUpdates,
      unloadUnused,
      answerHttp({
        blobs: answerBlobs({ blobs, authorise, health, limits, metrics }),
        metrics,
        async state() {
          const storage = (await health.state()) ?? { reason: 'ok' }
          const redis = cluster?.state()
          return {
            ok: storage.reason === 'ok' && redis !== 'away' && !isStopping,
            storage,
            ...(redis === undefined ? {} : { redis }),
          }
        },
      }),
      ...(cluster === undefined ? [] : [cluster.extension]),
    ],
  })
  const sockets = limitConnections(server.hocuspocus, limits, metrics, backlog)
  deadline.watch(server.hocuspocus)
  metrics.gauge('connections', () => sockets.size)
  metrics.gauge('documents', () => server.hocuspocus.getDocumentsCount())
  const looks = store.shared ? catchUpRegularly(server.hocuspocus, keeper.catchUp) : undefined

  const letGo = async () => {
    looks?.stop()
    cluster?.leave()
    await store.close()
  }
  const listening = await listen(server, sockets, limits).catch(async (error) => {
    await letGo()
    throw error
  })

  /** @type {Promise<void> | undefined} */
  let closing
  const close = async () => {
    isStopping = true
    await listening.stop()
    await keeper.finish()
    await letGo()
  }
  return {
    url: `ws://${listening.host}`,
    httpUrl: `http://${listening.host}`,
    port: listening.port,
    secret,
    close: () => (closing ??= close()),
  }
}
