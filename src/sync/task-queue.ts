/** Runs tasks one after the other. */
export interface TaskQueue {
  /** Starts it when the previous one has ended, whatever its result. */
  run<T>(task: () => Promise<T>): Promise<T>
  /** Resolves when the tasks so far have ended. */
  done(): Promise<unknown>
}

export function createTaskQueue(): TaskQueue {
  let last: Promise<unknown> = Promise.resolve()
  return {
    run: (task) => {
      const run = last.then(task)
      last = run.catch(() => undefined)
      return run
    },
    done: () => last,
  }
}
