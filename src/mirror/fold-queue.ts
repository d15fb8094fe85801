import type { JournalLag } from '../contract/journal.ts'
import { pushAll } from '../domain/push-all.ts'
import type { LeftWrites, WaitingWrite } from './store-answered.ts'

/** The answered writes that wait for the database. They are folded into it in groups. */
export interface FoldQueue {
  add(writes: readonly WaitingWrite[]): void
  /** Whether the database takes what it is given. */
  isWell(): boolean
  isEmpty(): boolean
  /**
   * Waits until the database has these writes, and begins to fold at once.
   *
   * @returns `undefined` when it has them. Rejects with what the database throws at one of them
   */
  settle(isMeant: (write: WaitingWrite) => boolean): Promise<void> | undefined
  /**
   * Waits until the database has what was answered so far, of one session or of all; `undefined` when it has. Begins
   * nothing.
   */
  indexed(key?: string): Promise<void> | undefined
  /** Forgets writes that wait for the database, because what they belong to was erased for good. */
  drop(isMeant: (write: WaitingWrite) => boolean): void
  lag(): JournalLag | undefined
  close(): void
}

export interface FoldOptions {
  /** Stores a group in the database. Never rejects. */
  readonly store: (group: readonly WaitingWrite[]) => Promise<LeftWrites>
  /** How long writes wait for others to join them, in milliseconds. */
  readonly foldMs: number
  /** Called when the database begins to fail, and with `undefined` when it takes everything again. */
  readonly onHealth: (error: unknown) => void
}

/** So many writes, or bytes of entries, are folded at once. */
const mostWrites = 2048
const mostBytes = 2 ** 23
/** Shortest and longest pause before a fold that failed is tried again. */
const pausesMs = [1000, 60_000] as const

export function createFoldQueue({ store, foldMs, onHealth }: FoldOptions): FoldQueue {
  let waiting: WaitingWrite[] = []
  let underWay: readonly WaitingWrite[] = []
  let bytes = 0
  let folding: Promise<unknown> | undefined
  let timer: ReturnType<typeof setTimeout> | undefined
  let failures = 0
  let isClosed = false
  const listeners = createIndexListeners(() => [...underWay, ...waiting])

  function foldIn(ms: number): void {
    if (isClosed) return
    clearTimeout(timer)
    timer = setTimeout(fold, ms)
  }

  /** @returns why some of them could not be stored */
  async function foldOnce(): Promise<unknown> {
    clearTimeout(timer)
    timer = undefined
    underWay = waiting
    waiting = []
    bytes = 0
    const { left, error } = await store(underWay)
    underWay = []
    waiting = [...left, ...waiting]
    if (left.length > 0) {
      failures += 1
      if (failures === 1) onHealth(error)
      foldIn(Math.min(pausesMs[0] * 2 ** (failures - 1), pausesMs[1]))
    } else {
      if (failures > 0) onHealth(undefined)
      failures = 0
      if (waiting.length > 0) foldIn(foldMs)
    }
    listeners.tell()
    return error
  }

  /** Joins a fold that is under way. A failure shows in `lag`, and in the calls that need the database. */
  function fold(): Promise<unknown> {
    folding ??= foldOnce().finally(() => (folding = undefined))
    return folding
  }

  const isLeft = (meant: ReadonlySet<WaitingWrite>): boolean =>
    underWay.some((one) => meant.has(one)) || waiting.some((one) => meant.has(one))

  async function foldUntil(meant: ReadonlySet<WaitingWrite>): Promise<void> {
    // Others may go on writing meanwhile. A fold that was under way may have begun before these writes were made.
    for (let error: unknown; isLeft(meant); ) {
      if (error !== undefined) throw error
      const isJoined = folding !== undefined
      error = await fold()
      if (isJoined) error = undefined
    }
  }

  return {
    add: (writes) => {
      pushAll(waiting, writes)
      for (const { answered } of writes) for (const entry of answered.entries) bytes += entry.bytes
      if (waiting.length >= mostWrites || bytes >= mostBytes) foldIn(0)
      else if (timer === undefined && folding === undefined) foldIn(foldMs)
    },
    isWell: () => failures === 0 && !isClosed,
    isEmpty: () => waiting.length + underWay.length === 0,
    settle: (isMeant) => {
      if (waiting.length + underWay.length === 0) return undefined
      const meant = new Set([...underWay, ...waiting].filter(isMeant))
      return meant.size === 0 ? undefined : foldUntil(meant)
    },
    indexed: listeners.wait,
    drop: (isMeant) => {
      waiting = waiting.filter((one) => !isMeant(one))
      listeners.tell()
    },
    lag: () => {
      const first = underWay[0] ?? waiting[0]
      return first && { writes: underWay.length + waiting.length, since: first.at }
    },
    close: () => {
      isClosed = true
      clearTimeout(timer)
      listeners.tell(true)
    },
  }
}

/** Those who wait until the database has what was answered when they asked. */
function createIndexListeners(missing: () => readonly WaitingWrite[]): {
  readonly wait: FoldQueue['indexed']
  /** @param all - also those whose writes are still missing */
  readonly tell: (all?: boolean) => void
} {
  let listeners: { readonly last: WaitingWrite; readonly resolve: () => void }[] = []
  return {
    wait: (key) => {
      const last = missing().findLast(({ answered }) => key === undefined || answered.key === key)
      return last && new Promise((resolve) => listeners.push({ last, resolve }))
    },
    tell: (all = false) => {
      const first = missing()[0]
      const heard = listeners
      listeners = []
      for (const one of heard)
        if (all || first === undefined || one.last.n < first.n || !listeners.push(one)) one.resolve()
    },
  }
}
