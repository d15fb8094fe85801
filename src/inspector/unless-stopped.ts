/**
 * The outcome of work that can't be stopped itself: once the signal aborts, nobody waits for it any longer.
 *
 * @returns rejects with what `work` throws before that
 */
export const unlessStopped = (signal: AbortSignal, work: () => Promise<string>): Promise<string> =>
  new Promise((resolve, reject) => {
    const giveUp = (): void => resolve('no longer waited for; it may still go on')
    signal.addEventListener('abort', giveUp, { once: true })
    work()
      .then(resolve, reject)
      .finally(() => signal.removeEventListener('abort', giveUp))
  })
