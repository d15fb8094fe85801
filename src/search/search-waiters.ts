import type { SearchProgress } from '../contract/search.ts'

/** How often the progress of the index is reported to waiting searches. */
const progressMs = 100

type ProgressListener = (progress: SearchProgress) => void

/** The searches that wait for the running pass. */
export interface SearchWaiters {
  add(listener: ProgressListener): void
  remove(listener: ProgressListener): void
  report(progress: SearchProgress): void
}

export function createSearchWaiters(): SearchWaiters {
  const waiting = new Set<ProgressListener>()
  let reportedAt = 0
  return {
    add: (listener) => void waiting.add(listener),
    remove: (listener) => void waiting.delete(listener),
    report: (progress) => {
      if (waiting.size === 0 || performance.now() - reportedAt < progressMs) return
      reportedAt = performance.now()
      for (const onProgress of waiting) onProgress(progress)
    },
  }
}
