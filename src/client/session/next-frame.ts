/** The length of a frame where nothing is drawn. */
const frameMs = 16

/**
 * Calls a function before the next frame is drawn. A hidden page draws none, so that it waits until the page is shown.
 *
 * @returns a function that cancels it
 */
export function onNextFrame(act: () => void): () => void {
  if (typeof globalThis.requestAnimationFrame === 'function') {
    const frame = requestAnimationFrame(act)
    return () => cancelAnimationFrame(frame)
  }
  const timer = setTimeout(act, frameMs)
  return () => clearTimeout(timer)
}
