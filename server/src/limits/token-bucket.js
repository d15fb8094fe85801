/**
 * Allows a rate per second, and a burst at once.
 *
 * @param {{ readonly perSecond: number, readonly burst: number }} rate
 * @param {() => number} [now] - milliseconds
 * @returns {(amount: number) => boolean} takes this amount; false when that much is not available
 */
export function tokenBucket({ perSecond, burst }, now = () => performance.now()) {
  let left = burst
  let at = now()
  return (amount) => {
    const time = now()
    left = Math.min(burst, left + ((time - at) / 1000) * perSecond)
    at = time
    if (amount > left) return false
    left -= amount
    return true
  }
}
