import { Redis } from '@hocuspocus/extension-redis'

/**
 * How long a document waits for what other nodes have in memory, in milliseconds. What is durable comes from the
 * database.
 */
const WAIT = 1_000

/**
 * Hocuspocus' Redis extension, without which nodes see each other's updates only by reading the database. It is adapted
 * so that Redis may be unavailable: documents open and store without it, and when it is back the nodes send each other
 * what they have. Its locks for storing are left out, because updates are stored one by one here, and not as states
 * that could overwrite each other.
 *
 * @param {string} url
 * @param {(message: string) => void} say
 * @returns {{ extension: import('@hocuspocus/server').Extension, state(): 'ok' | 'away', leave(): void }}
 */
export function joinCluster(url, say) {
  const { hostname, port, username, password, pathname, protocol } = new URL(url)
  const redis = new Redis({
    // As a URL, from which the client takes an IPv6 address without its brackets.
    host: `redis://${hostname}`,
    port: Number(port || 6379),
    prefix: 'keepsession',
    awaitInitialSyncTimeout: WAIT,
    options: {
      ...(username === '' ? {} : { username: decodeURIComponent(username) }),
      ...(password === '' ? {} : { password: decodeURIComponent(password) }),
      ...(pathname.length > 1 ? { db: Number(pathname.slice(1)) } : {}),
      ...(protocol === 'rediss:' ? { tls: {} } : {}),
      // Subscriptions wait for Redis for as long as it takes.
      maxRetriesPerRequest: null,
      retryStrategy: (/** @type {number} */ attempt) => Math.min(attempt * 100, 2_000),
    },
  })
  const { pub, sub } = redis
  const isThere = () => pub.status === 'ready' && sub.status === 'ready'
  let isLeaving = false
  let wasThere = true
  /** @type {import('@hocuspocus/server').Hocuspocus | undefined} */
  let instance

  const announceAll = async () => {
    if (!isThere() || instance === undefined) return
    if (!wasThere) say('Redis can be reached again.')
    wasThere = true
    for (const [documentName, document] of instance.documents)
      void redis.onChange(/** @type {any} */ ({ documentName, document }))
  }
  for (const client of [pub, sub]) {
    client.on('ready', announceAll)
    client.on('error', (/** @type {Error} */ error) => {
      if (wasThere && !isLeaving)
        say(
          `Redis can't be reached: ${error.message}. Until it is back, other nodes receive new updates only after some seconds.`,
        )
      wasThere = false
    })
  }
  // What a failed publication would have sent is sent when Redis is back. The extension leaves the rejections of some
  // of these promises unhandled.
  const publish = pub.publish.bind(pub)
  pub.publish = /** @type {any} */ (async (/** @type {[any, any]} */ ...message) => publish(...message).catch(() => 0))
  // The same for messages that arrive: they come from our own nodes, but nothing from outside may end the process.
  const receive = /** @type {{ handleIncomingMessage: (...message: unknown[]) => Promise<void> }} */ (
    /** @type {unknown} */ (redis)
  ).handleIncomingMessage
  sub.off('messageBuffer', receive)
  sub.on('messageBuffer', (/** @type {unknown[]} */ ...message) => {
    receive(...message).catch((error) => say(`A message by Redis could not be read: ${error}`))
  })

  return {
    state: () => (isThere() ? 'ok' : 'away'),
    leave() {
      isLeaving = true
      pub.disconnect()
      sub.disconnect()
    },
    extension: {
      priority: 1_000,
      async onConfigure(payload) {
        instance = payload.instance
        await redis.onConfigure(payload)
      },
      async afterLoadDocument(payload) {
        const joined = redis.afterLoadDocument(payload).catch((error) => {
          if (!isLeaving) say(`${payload.documentName} could not be joined in Redis: ${error}`)
        })
        // Without Redis this continues by itself once Redis is back.
        if (isThere()) await Promise.race([joined, new Promise((resolve) => setTimeout(resolve, 2 * WAIT).unref())])
      },
      async onChange(payload) {
        if (isThere()) await redis.onChange(payload)
      },
      async onAwarenessUpdate(payload) {
        if (isThere()) await redis.onAwarenessUpdate(payload)
      },
      beforeUnloadDocument: (payload) => redis.beforeUnloadDocument(payload),
      afterUnloadDocument: (payload) => redis.afterUnloadDocument(payload),
    },
  }
}
