/** Milliseconds after which a server that stops compacts no further document. */
const MOST_FINISHING = 2_000

/**
 * Removes erased content from the logs of documents. A session that was purged has to be gone from the disk at once.
 * Where only a part of a session was purged, its log would have to be rewritten each time, so this waits until nobody
 * has the session open.
 *
 * @typedef {ReturnType<typeof eraseFromLogs>} LogEraser
 * @param {{ logOf(document: import('yjs').Doc): import('./store/store.js').DocumentLog | undefined, say(message:
 *   string): void }} setup - `logOf`: the open log of a document
 */
export function eraseFromLogs({ logOf, say }) {
  /** Open logs that still hold what was erased. @type {Set<import('./store/store.js').DocumentLog>} */
  const holding = new Set()
  /** @param {unknown} error */
  const report = (error) => say(`What was erased from a document could not be removed from its log: ${error}`)

  return {
    /** @param {import('./store/store.js').DocumentLog} log - which still has erased content */
    add: (log) => void holding.add(log),
    /** @param {import('./store/store.js').DocumentLog} log - which is being closed @returns whether it still holds what was erased */
    take: (log) => holding.delete(log),
    /**
     * Compacts the log of a document of which nothing is left.
     *
     * @param {import('yjs').Doc} document
     */
    async eraseIfEmpty(document) {
      const log = logOf(document)
      if (log === undefined || !holding.has(log) || !isEmpty(document)) return
      holding.delete(log)
      await log.compact().catch((error) => {
        if (logOf(document) === log) holding.add(log)
        report(error)
      })
    },
    /** Compacts all logs as long as there is time. The next server that opens the other documents does the rest. */
    async finish() {
      const end = performance.now() + MOST_FINISHING
      for (const log of holding) {
        if (performance.now() > end) return
        holding.delete(log)
        await log.compact().catch(report)
      }
    },
  }
}

/**
 * Whether nothing is left of what was ever in a document.
 *
 * @param {import('yjs').Doc} document
 */
function isEmpty(document) {
  return [...document.share.values()].every(({ _length }) => _length === 0)
}
