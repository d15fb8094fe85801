import type { OpeningAttempt } from '../opening/ladder.ts'
import type { WorkerLike } from './connect-worker.ts'

/** How long a frame may take to load nothing. */
const loadMs = 500

const framed = new WeakSet<OpeningAttempt>()

/** From now on all workers of a store come from frames. */
export const useFrames = (attempt: OpeningAttempt): void => void framed.add(attempt)

/** Whether workers of a store have to come from frames. */
export const usesFrames = (attempt: OpeningAttempt): boolean => framed.has(attempt)

/**
 * Makes a worker from a fresh hidden frame. When Safari's process for databases dies, a document that had one open is
 * cut off from it for good, and so are all the workers it makes; a new document is not. The frame lives as long as its
 * worker.
 *
 * @param make - makes the worker by `new Worker`, at once
 * @throws what `make` throws; an error for people where no frame can be had
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
  // Not in the body, which is the app's.
  document.documentElement.append(frame)
  try {
    // Firefox puts another document into it at first.
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
 * Calls a function with another realm's workers in the place of ours: bundlers and policies know `new Worker(…)` where
 * it is written, not its URL.
 */
function makeWith(theirs: typeof Worker | undefined, make: () => WorkerLike): WorkerLike {
  if (theirs === undefined) throw new Error('There are no workers in a frame here.')
  const ours = globalThis.Worker
  globalThis.Worker = theirs
  try {
    return make()
  } finally {
    globalThis.Worker = ours
  }
}
