/** Tasks that are done one after the other. */
export interface TaskQueue {
  /** Begins it when the one before has ended, whatever became of that. */
  run<T>(task: () => Promise<T>): Promise<T>
  /** Resolves when those that were given so far have ended. */
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
