/** Milliseconds from the end of one round to the next. */
const INTERVAL = 15_000

/**
 * Reads from the shared database what other nodes have stored in the open documents, one document after the other.
 * Through Redis this arrives at once; here arrives what Redis lost, or everything where there is no Redis.
 *
 * @param {import('@hocuspocus/server').Hocuspocus} hocuspocus
 * @param {(document: import('yjs').Doc) => Promise<void>} catchUp - never rejects
 */
export function catchUpRegularly(hocuspocus, catchUp) {
  let isStopped = false
  const round = async () => {
    for (const document of [...hocuspocus.documents.values()]) {
      if (isStopped) return
      await catchUp(document)
    }
    if (!isStopped) timer = setTimeout(round, INTERVAL).unref()
  }
  let timer = setTimeout(round, INTERVAL).unref()
  return {
    stop() {
      isStopped = true
      clearTimeout(timer)
    },
  }
}
