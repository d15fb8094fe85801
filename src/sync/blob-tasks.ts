import { createSemaphore } from './semaphore.ts'

/** How many blobs are copied at once. */
const width = 4

type BlobAct = 'send' | 'fetch'

interface BlobTasksEvents {
  /** A blob that had failed got through: the others may as well. */
  readonly onRecovered: () => void
  /** A task has ended. */
  readonly onEnd: () => void
}

/** The copying of blobs: one task for each hash, a few at once, and their results. */
export interface BlobTasks {
  /** Reports to this one from now on. Called before a task is started. */
  reportTo(events: BlobTasksEvents): void
  /** Starts a task, unless one for this hash is running. Never rejects. */
  start(hash: string, act: BlobAct, task: () => Promise<void>): Promise<void>
  /** Whether both sides have it, as far as this run has found out: it is not looked up again. */
  isDone(hash: string): boolean
  /** The other side may have lost what it had. */
  doubt(): void
  /** What failed, starting with the one whose last attempt is longest ago. */
  failed(): ReadonlyMap<string, BlobAct>
  running(): ReadonlyMap<string, Promise<void>>
  isClosed(): boolean
  close(): void
}

export function createBlobTasks(): BlobTasks {
  const done = new Set<string>()
  const running = new Map<string, Promise<void>>()
  const failed = new Map<string, BlobAct>()
  const semaphore = createSemaphore(width)
  let events: BlobTasksEvents | undefined
  let isClosed = false

  const inTurn = async (task: () => Promise<void>): Promise<void> => {
    const release = await semaphore.acquire()
    try {
      if (!isClosed) await task()
    } finally {
      release()
    }
  }

  return {
    reportTo: (one) => {
      events = one
    },
    start: (hash, act, task) => {
      const before = running.get(hash)
      if (before !== undefined) return before
      const onDone = (): void => {
        done.add(hash)
        if (failed.delete(hash)) events?.onRecovered()
      }
      const onFailed = (): void => {
        failed.delete(hash)
        failed.set(hash, act)
      }
      const run = inTurn(task)
        .then(onDone, onFailed)
        .finally(() => {
          running.delete(hash)
          if (!isClosed) events?.onEnd()
        })
      running.set(hash, run)
      return run
    },
    isDone: (hash) => done.has(hash),
    doubt: () => done.clear(),
    failed: () => failed,
    running: () => running,
    isClosed: () => isClosed,
    close: () => {
      isClosed = true
    },
  }
}
