import type { StoreName } from './schema.ts'

/**
 * A running transaction. It uses only callbacks, because promises in between cost time, and one too many ends the
 * transaction.
 */
export interface Steps {
  store(name: StoreName): IDBObjectStore
  /** Passes on the result of a request. If the request fails, so does the transaction. */
  read<T>(request: IDBRequest<T>, use: (result: T) => void): void
  /** Passes on the result of a request that may fail by itself, for a value that may be unreadable. */
  attempt<T>(request: IDBRequest<T>, use: (result: T) => void, failed: (error: unknown) => void): void
}

/** A transaction that only reads. */
export interface ReadSteps<T> extends Steps {
  /** Sets the answer. */
  answer(value: T): void
}

/** A transaction that writes. Cursors may be opened, but not walked: each `read` has one result. */
export interface WriteSteps extends Steps {
  /** Undoes everything; `runWrite` then resolves with false. */
  refuse(): void
}

/**
 * Runs `body` in a read-only transaction until it has an answer.
 *
 * Then the transaction is aborted, which takes no longer than letting it end. When a worker of WebKit is killed while a
 * transaction ends by itself, that stays open until the page is left, and every later write waits for it.
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
 * Runs `body` in a read-write transaction. Resolves with true when everything is stored, and with false when `refuse`
 * has undone it; rejects when it failed. In the last two cases nothing was written.
 */
export function runWrite(transaction: IDBTransaction, body: (steps: WriteSteps) => void): Promise<boolean> {
  return new Promise((resolve, reject) => {
    let isOver = false
    // The number of unanswered requests, plus one for the body itself.
    let waiting = 1
    const abortWith = failing(transaction, reject)
    const fail = (error: unknown): void => {
      isOver = true
      abortWith(error)
    }
    const done = (): void => {
      waiting--
      // Without `commit` the browser waits for a turn of the event loop without further requests.
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
      // When nothing was read, `commit` is not called: WebKit leaves a transaction open that had to commit before it
      // had started.
      waiting--
    }, fail)
  })
}

/** Rejects when the transaction fails by itself. @returns a function that makes it fail */
function failing(transaction: IDBTransaction, reject: (error: unknown) => void): (error: unknown) => void {
  let consequence: unknown
  transaction.onerror = (event) => {
    const { error } = event.target as IDBRequest
    // When a transaction is aborted, its open requests fail with this error. The reason comes with the abort event.
    if (!isAbort(error)) reject(error)
  }
  transaction.onabort = () => reject(transaction.error ?? consequence)
  return (error) => {
    // In an aborted transaction any further call fails. Again the reason comes with the abort event.
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
        // Otherwise one unreadable value would abort the whole transaction.
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

/** @returns false when it was already aborted or committed */
function abort(transaction: IDBTransaction): boolean {
  try {
    transaction.abort()
    return true
  } catch {
    return false
  }
}
