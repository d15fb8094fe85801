import type { StoreName } from './schema.ts'

/** A running transaction. Everything in it goes by callbacks: a promise in between costs time, and one too many ends it. */
export interface Steps {
  store(name: StoreName): IDBObjectStore
  /** Takes the result of a request. If the request fails, so does the transaction. */
  read<T>(request: IDBRequest<T>, use: (result: T) => void): void
  /** Takes the result of a request that may fail by itself, for one value that can't be read. */
  attempt<T>(request: IDBRequest<T>, use: (result: T) => void, failed: (error: unknown) => void): void
}

/** A transaction that only reads. */
export interface ReadSteps<T> extends Steps {
  /** Gives the answer. */
  answer(value: T): void
}

/** A transaction that writes. Cursors may be opened, not walked: each `read` gives one result. */
export interface WriteSteps extends Steps {
  /** Takes everything back; `runWrite` then resolves with false. */
  refuse(): void
}

/**
 * Runs `body` in a read-only transaction until it has an answer.
 *
 * Then it is aborted, which takes no longer than to let it end: a worker of WebKit that is killed while one ends by itself leaves it open until
 * the page is left, and every later write waits for it.
 */
export function runRead<T>(transaction: IDBTransaction, body: (steps: ReadSteps<T>) => void): Promise<T> {
  return new Promise((resolve, reject) => {
    const fail = failing(transaction, reject)
    const answer = (value: T): void => {
      resolve(value)
      abort(transaction)
    }
    attemptNow(() => body({ ...createSteps(transaction, fail), answer }), fail)
  })
}

/**
 * Runs `body` in a read-write transaction. Resolves once everything is stored (true) or taken back by `refuse` (false), rejects when it
 * failed; in the last two cases nothing was written.
 */
export function runWrite(transaction: IDBTransaction, body: (steps: WriteSteps) => void): Promise<boolean> {
  return new Promise((resolve, reject) => {
    let isOver = false
    // Requests that wait for an answer, and the body itself.
    let waiting = 1
    const abortWith = failing(transaction, reject)
    const fail = (error: unknown): void => {
      isOver = true
      abortWith(error)
    }
    const done = (): void => {
      waiting--
      // Without it the browser waits for a turn of the event loop in which nobody asks for more.
      if (waiting === 0 && !isOver) transaction.commit?.()
    }
    transaction.oncomplete = () => resolve(true)
    const { store, read, attempt } = createSteps(transaction, fail)
    const thenDone = <T>(use: (value: T) => void): ((value: T) => void) => {
      return (value) => {
        use(value)
        done()
      }
    }
    const steps: WriteSteps = {
      store,
      read: (request, use) => {
        waiting++
        read(request, thenDone(use))
      },
      attempt: (request, use, failed) => {
        waiting++
        attempt(request, thenDone(use), thenDone(failed))
      },
      refuse: () => {
        isOver = true
        transaction.onabort = () => resolve(false)
        abort(transaction)
      },
    }
    attemptNow(() => {
      body(steps)
      // Without `commit` where nothing was read: WebKit, again, leaves one open that was told to commit before it had begun.
      waiting--
    }, fail)
  })
}

/** Rejects when the transaction fails by itself; gives what makes it fail. */
function failing(transaction: IDBTransaction, reject: (error: unknown) => void): (error: unknown) => void {
  let consequence: unknown
  transaction.onerror = (event) => {
    const { error } = event.target as IDBRequest
    // When a transaction is aborted its open requests fail with this; the reason comes with the abort.
    if (!isAbort(error)) reject(error)
  }
  transaction.onabort = () => reject(transaction.error ?? consequence)
  return (error) => {
    // In one that is aborted already, any further call fails: again the reason comes with the abort.
    if (abort(transaction)) reject(error)
    else consequence = error
  }
}

function createSteps(transaction: IDBTransaction, fail: (error: unknown) => void): Steps {
  return {
    store: (name) => transaction.objectStore(name),
    read: (request, use) => {
      request.onsuccess = () => attemptNow(() => use(request.result), fail)
    },
    attempt: (request, use, failed) => {
      request.onsuccess = () => attemptNow(() => use(request.result), fail)
      request.onerror = (event) => {
        if (isAbort(request.error)) return
        // Otherwise one bad value would abort the whole transaction.
        event.preventDefault()
        event.stopPropagation()
        attemptNow(() => failed(request.error), fail)
      }
    },
  }
}

function attemptNow(act: () => void, fail: (error: unknown) => void): void {
  try {
    act()
  } catch (error) {
    fail(error)
  }
}

function isAbort(error: DOMException | null): boolean {
  return error?.name === 'AbortError'
}

/** False when it was aborted, or has committed, already. */
function abort(transaction: IDBTransaction): boolean {
  try {
    transaction.abort()
    return true
  } catch {
    return false
  }
}
