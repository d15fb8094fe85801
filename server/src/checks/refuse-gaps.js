import { Refusal } from '../refusal.js'
import { SYNC_STEP_1 } from '../sync-step.js'
import { checkGaps } from './check-gaps.js'

/**
 * The extension that refuses updates of clients with gaps. Updates of other nodes, whose order is not certain, do not
 * pass through it.
 *
 * @param {import('../http/metrics.js').Metrics} metrics
 * @returns {import('@hocuspocus/server').Extension}
 */
export function refuseGaps(metrics) {
  return {
    async beforeSync({ type, payload, document, connection }) {
      if (type === SYNC_STEP_1 || connection.readOnly) return
      try {
        checkGaps(document, payload)
      } catch (error) {
        if (error instanceof Refusal) metrics.refuse(error.name)
        throw error
      }
    },
  }
}
