import { Refusal } from '../refusal.js'

const FULL = new Set(['ENOSPC', 'EDQUOT', 'EFBIG', '53100'])

/** How often a failing storage is probed at most, in milliseconds. */
const PROBE_INTERVAL = 1_000

/**
 * Knows whether the storage works: by the last operation, and by a probe if that failed.
 *
 * @typedef {ReturnType<typeof watchStorage>} StorageHealth
 * @param {import('./store.js').DocumentStore} store
 * @param {(message: string) => void} say
 */
export function watchStorage(store, say) {
  /** @type {{ reason: 'storage-full' | 'storage-failed', message: string, since: string } | undefined} */
  let failure
  let probed = 0
  /** @type {Promise<void> | undefined} */
  let probing

  const worked = () => {
    if (failure !== undefined) say('The storage works again.')
    failure = undefined
  }

  /**
   * @param {unknown} error
   * @returns {Refusal} for the waiting calls
   */
  const failed = (error) => {
    const { code, message } = /** @type {NodeJS.ErrnoException} */ (
      error instanceof Error ? error : new Error(String(error))
    )
    const reason = FULL.has(code ?? '') ? 'storage-full' : 'storage-failed'
    if (failure?.reason !== reason) {
      say(
        `The storage ${reason === 'storage-full' ? 'is full' : 'fails'}: ${message} No updates are accepted until it works again.`,
      )
      failure = { reason, message, since: new Date().toISOString() }
    }
    return new Refusal(reason)
  }

  return {
    worked,
    failed,
    /** What is wrong. Probes the storage again if something was. */
    async state() {
      if (store.lost !== undefined) failed(store.lost)
      if (failure !== undefined && probing === undefined && Date.now() - probed >= PROBE_INTERVAL) {
        probed = Date.now()
        probing = store
          .probe()
          .then(worked, (error) => void failed(error))
          .finally(() => (probing = undefined))
      }
      await probing
      return failure
    },
  }
}
