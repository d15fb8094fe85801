import type { LeftWrites, WaitingWrite } from './store-answered.ts'
import { createWaitingWrites, type WaitingWrites } from './waiting-writes.ts'

/** Folds the answered writes into the database, in groups. */
export interface FoldQueue
  extends Pick<WaitingWrites, 'add' | 'answers' | 'missing' | 'some' | 'drop' | 'find' | 'lag' | 'isOverfull'> {
  /** Whether the database takes what it is given. */
  isWell(): boolean
  isEmpty(): boolean
  /**
   * Waits until the database has these writes, and begins to fold at once.
   *
   * @returns `undefined` when it has them. Rejects with what the database throws at one of them
   */
  settle(isMeant: (write: WaitingWrite) => boolean): Promise<void> | undefined
  /** Does work while nothing is folded. */
  alone<T>(work: () => Promise<T>): Promise<T>
  /** Resolves after the next fold, whatever it could store, or when the queue is closed. Begins nothing. */
  nextFold(): Promise<void>
  close(): void
}

export interface FoldOptions {
  /** Stores a group in the database. Never rejects. */
  readonly store: (group: readonly WaitingWrite[]) => Promise<LeftWrites>
  /** How long writes wait for others to join them, in milliseconds. */
  readonly foldMs: number
  /** Called when the database begins to fail, and with `undefined` when it takes everything again. */
  readonly onHealth: (error: unknown) => void
  /** How many times as much as is folded at once waits at most. */
  readonly mostWaiting?: number | undefined
}

/** Shortest and longest pause before a fold that failed is tried again. */
const pausesMs = [1000, 60_000] as const

export function createFoldQueue({ store, foldMs, onHealth, mostWaiting }: FoldOptions): FoldQueue {
  const writes = createWaitingWrites(mostWaiting)
  /** The fold that is under way, or the work that keeps others back. */
  let folding: Promise<unknown> | undefined
  let timer: ReturnType<typeof setTimeout> | undefined
  let failures = 0
  let isClosed = false
  /** Whether the next fold is due at once: setting the timer again and again would put it off. */
  let isHurried = false
  let listeners: (() => void)[] = []

  function foldIn(ms: number): void {
    if (isClosed) return
    clearTimeout(timer)
    timer = setTimeout(() => {
      timer = undefined
      void fold()
    }, ms)
  }

  /** @returns why some of them could not be stored */
  async function foldOnce(): Promise<unknown> {
    clearTimeout(timer)
    timer = undefined
    isHurried = false
    const { left, error } = await store(writes.take())
    writes.putBack(left)
    if (left.length > 0) {
      failures += 1
      if (failures === 1) onHealth(error)
      foldIn(Math.min(pausesMs[0] * 2 ** (failures - 1), pausesMs[1]))
    } else {
      if (failures > 0) onHealth(undefined)
      failures = 0
    }
    tell()
    return error
  }

  /** Joins a fold that is under way. A failure shows in `lag`, and in the calls that need the database. */
  function fold(): Promise<unknown> {
    folding ??= foldOnce().finally(release)
    return folding
  }

  /** Others may fold now. What came meanwhile has no timer yet. */
  function release(): void {
    folding = undefined
    if (writes.isDue() && timer === undefined) foldIn(writes.isFull() ? 0 : foldMs)
  }

  function tell(): void {
    const heard = listeners
    listeners = []
    for (const listener of heard) listener()
  }

  async function foldUntil(meant: ReadonlySet<WaitingWrite>): Promise<void> {
    // Others may go on writing meanwhile. A fold that was under way may have begun before these writes were made.
    for (let error: unknown; writes.some((one) => meant.has(one)); ) {
      if (error !== undefined) throw error
      const isJoined = folding !== undefined
      error = await fold()
      if (isJoined) error = undefined
    }
  }

  return {
    ...writes,
    add: (given) => {
      writes.add(given)
      if (folding !== undefined) return
      if (timer === undefined) foldIn(writes.isFull() ? 0 : foldMs)
      else if (writes.isFull() && !isHurried) foldIn(0)
      isHurried = writes.isFull()
    },
    isWell: () => failures === 0 && !isClosed,
    isEmpty: () => writes.count() === 0,
    settle: (isMeant) => {
      if (writes.count() === 0) return undefined
      const meant = new Set(writes.find(isMeant))
      return meant.size === 0 ? undefined : foldUntil(meant)
    },
    alone: async (work) => {
      while (folding !== undefined) await folding
      const working = work()
      folding = working.catch(() => undefined).finally(release)
      return working
    },
    nextFold: () => new Promise((resolve) => listeners.push(resolve)),
    close: () => {
      isClosed = true
      clearTimeout(timer)
      tell()
    },
  }
}
