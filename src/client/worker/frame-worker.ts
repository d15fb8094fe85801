import type { OpeningAttempt } from '../opening/ladder.ts'
import type { WorkerLike } from './connect-worker.ts'

/** How long an empty frame may take to load. */
const loadMs = 500

const framed = new WeakSet<OpeningAttempt>()

/** From now on all workers of a store come from frames. */
export const useFrames = (attempt: OpeningAttempt): void => void framed.add(attempt)

/** Whether workers of a store have to come from frames. */
export const usesFrames = (attempt: OpeningAttempt): boolean => framed.has(attempt)

/**
 * Starts a worker from a new hidden frame. When Safari's database process dies, a document that had a database open is
 * cut off from it for good, and so are all workers that it starts; a new document is not. The frame lives as long as
 * its worker.
 *
 * @param make - starts the worker synchronously by `new Worker`
 * @throws what `make` throws; a readable error if no frame can be created
 */
export async function makeFrameWorker(make: () => WorkerLike): Promise<WorkerLike> {
  if ((globalThis.document as unknown) === undefined) throw new Error('There are no frames outside of a page.')
  const frame = document.createElement('iframe')
  frame.hidden = true
  frame.ariaHidden = 'true'
  const loaded = new Promise((resolve) => {
    frame.addEventListener('load', resolve)
    setTimeout(resolve, loadMs)
  })
  // Not in the body, which belongs to the app.
  document.documentElement.append(frame)
  try {
    // Firefox first replaces the initial document.
    await loaded
    const worker = makeWith((frame.contentWindow as unknown as typeof globalThis | null)?.Worker, make)
    return {
      postMessage: worker.postMessage.bind(worker),
      addEventListener: worker.addEventListener.bind(worker),
      removeEventListener: worker.removeEventListener.bind(worker),
      terminate: () => {
        worker.terminate()
        frame.remove()
      },
    }
  } catch (error) {
    frame.remove()
    throw error
  }
}

/**
 * Calls a function while `Worker` is that of another realm: bundlers and policies recognise `new Worker(…)` in its
 * source, so its URL can't be passed around.
 */
function makeWith(theirs: typeof Worker | undefined, make: () => WorkerLike): WorkerLike {
  if (theirs === undefined) throw new Error('Frames have no workers here.')
  const ours = globalThis.Worker
  globalThis.Worker = theirs
  try {
    return make()
  } finally {
    globalThis.Worker = ours
  }
}
