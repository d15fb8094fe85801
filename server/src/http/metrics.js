/** Upper bounds in seconds of the buckets for storing times. */
const BOUNDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]

/**
 * Counts for Prometheus.
 *
 * @typedef {ReturnType<typeof createMetrics>} Metrics
 */
export function createMetrics() {
  /** @type {Map<string, () => number>} */
  const gauges = new Map()
  const counts = { updates_total: 0, received_bytes_total: 0, stored_bytes_total: 0, blobs_stored_total: 0 }
  /** @type {Map<string, number>} */
  const refused = new Map()
  const buckets = BOUNDS.map(() => 0)
  let stored = 0
  let seconds = 0

  return {
    /**
     * A value that is read when the metrics are requested.
     *
     * @param {string} name
     * @param {() => number} value
     */
    gauge: (name, value) => void gauges.set(name, value),
    /**
     * @param {keyof typeof counts} name
     * @param {number} [by]
     */
    count: (name, by = 1) => void (counts[name] += by),
    /** @param {string} reason - one of few */
    refuse: (reason) => void refused.set(reason, (refused.get(reason) ?? 0) + 1),
    /** @param {number} time - seconds that one update took until it was durable */
    storing(time) {
      stored++
      seconds += time
      BOUNDS.forEach((bound, index) => {
        if (time <= bound) buckets[index] = /** @type {number} */ (buckets[index]) + 1
      })
    },
    text() {
      const lines = []
      for (const [name, value] of gauges)
        lines.push(`# TYPE keepsession_sync_${name} gauge`, `keepsession_sync_${name} ${value()}`)
      for (const [name, value] of Object.entries(counts))
        lines.push(`# TYPE keepsession_sync_${name} counter`, `keepsession_sync_${name} ${value}`)
      lines.push('# TYPE keepsession_sync_refused_total counter')
      for (const [reason, value] of refused) lines.push(`keepsession_sync_refused_total{reason="${reason}"} ${value}`)
      lines.push('# TYPE keepsession_sync_store_seconds histogram')
      BOUNDS.forEach((bound, index) =>
        lines.push(`keepsession_sync_store_seconds_bucket{le="${bound}"} ${buckets[index]}`),
      )
      lines.push(
        `keepsession_sync_store_seconds_bucket{le="+Inf"} ${stored}`,
        `keepsession_sync_store_seconds_sum ${seconds}`,
        `keepsession_sync_store_seconds_count ${stored}`,
      )
      return `${lines.join('\n')}\n`
    },
  }
}
