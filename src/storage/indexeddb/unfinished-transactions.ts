/** How long the browser may take to finish transactions that were already answered, in milliseconds. */
const finishingMs = 1000

/** The transactions of a connection that the browser has not finished. */
export interface UnfinishedTransactions {
  watch(transaction: IDBTransaction): IDBTransaction
  /**
   * Waits for them. A read is answered before its transaction is over. When a worker of WebKit is ended before that,
   * its connection stays open until the page is left, and nobody can upgrade or delete the database.
   */
  finish(): Promise<void>
}

export function createUnfinishedTransactions(): UnfinishedTransactions {
  const unfinished = new Set<Promise<void>>()
  return {
    watch: (transaction) => {
      const finished = new Promise<void>((resolve) => {
        for (const event of ['complete', 'abort']) transaction.addEventListener(event, () => resolve())
      })
      unfinished.add(finished)
      void finished.then(() => unfinished.delete(finished))
      return transaction
    },
    finish: async () => {
      let timer: ReturnType<typeof setTimeout> | undefined
      await Promise.race([
        Promise.all(unfinished),
        new Promise((resolve) => (timer = setTimeout(resolve, finishingMs))),
      ])
      clearTimeout(timer)
    },
  }
}
