/**
 * Asks once everything is sent and confirmed, because the answer repeats everything that arrived in the meantime. One
 * question at a time.
 *
 * @param settled - resolves when everything is sent and confirmed
 */
export function askWhenIdle(settled: () => Promise<void>, ask: () => void, isOver: () => boolean): () => void {
  let isAsking = false
  return () => {
    if (isAsking || isOver()) return
    isAsking = true
    void settled().then(() => {
      isAsking = false
      if (!isOver()) ask()
    })
  }
}
