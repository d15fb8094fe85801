import type { JournalLag } from '../contract/mirror.ts'
import { pushAll } from '../domain/push-all.ts'
import type { WaitingWrite } from './store-answered.ts'

/** The answered writes that wait for the database. They are folded into it in groups. */
export interface FoldQueue {
  add(writes: readonly WaitingWrite[]): void
  /** Whether the database takes what it is given. */
  isWell(): boolean
  isEmpty(): boolean
  /**
   * Waits until the database has these writes, and begins to fold at once.
   *
   * @returns `undefined` when it has them. Rejects with what the database throws
   */
  settle(isMeant: (write: WaitingWrite) => boolean): Promise<void> | undefined
  /** Waits until the database has everything that was answered so far; `undefined` when it has. */
  indexed(): Promise<void> | undefined
  lag(): JournalLag | undefined
  /** Whether the database lacks something that was answered of a session. */
  lacks(key: string): boolean
  close(): void
}

/** So many writes, or bytes of entries, are folded at once. */
const mostWrites = 2048
const mostBytes = 2 ** 23
/** Shortest and longest pause before a fold that failed is tried again. */
const pausesMs = [1000, 60_000] as const

/**
 * @param store - stores a group in the database
 * @param foldMs - how long writes wait for others to join them
 * @param onHealth - called when the database begins to fail, and with `undefined` when it takes everything again
 */
export function createFoldQueue(
  store: (group: readonly WaitingWrite[]) => Promise<void>,
  foldMs: number,
  onHealth: (error: unknown) => void,
): FoldQueue {
  let waiting: WaitingWrite[] = []
  let underWay: readonly WaitingWrite[] = []
  let bytes = 0
  let folding: Promise<void> | undefined
  let timer: ReturnType<typeof setTimeout> | undefined
  let failures = 0
  let isClosed = false
  /** Counts the writes that were answered, and those of them that the database has. */
  let answers = 0
  let indexedAnswers = 0
  let listeners: { readonly answers: number; readonly resolve: () => void }[] = []

  function foldSoon(inMs: number): void {
    if (isClosed || (timer !== undefined && inMs > 0)) return
    clearTimeout(timer)
    timer = setTimeout(() => {
      timer = undefined
      // A failure shows in `lag`, and in the calls that need the database.
      fold().catch(() => undefined)
    }, inMs)
  }

  async function foldOnce(): Promise<void> {
    clearTimeout(timer)
    timer = undefined
    underWay = waiting
    waiting = []
    bytes = 0
    try {
      await store(underWay)
    } catch (error) {
      waiting = [...underWay, ...waiting]
      underWay = []
      failures += 1
      if (failures === 1) onHealth(error)
      foldSoon(Math.min(pausesMs[0] * 2 ** (failures - 1), pausesMs[1]))
      throw error
    }
    if (failures > 0) onHealth(undefined)
    failures = 0
    indexedAnswers += underWay.length
    underWay = []
    const heard = listeners
    listeners = []
    for (const one of heard) if (one.answers <= indexedAnswers || !listeners.push(one)) one.resolve()
    if (waiting.length > 0) foldSoon(foldMs)
  }

  /** Joins a fold that is under way. */
  const fold = (): Promise<void> => (folding ??= foldOnce().finally(() => (folding = undefined)))

  async function foldUntil(meant: ReadonlySet<WaitingWrite>): Promise<void> {
    // Others may go on writing meanwhile.
    while (underWay.some((one) => meant.has(one)) || waiting.some((one) => meant.has(one))) await fold()
  }

  return {
    add: (writes) => {
      pushAll(waiting, writes)
      answers += writes.length
      for (const { answered } of writes) for (const entry of answered.entries) bytes += entry.bytes
      foldSoon(waiting.length >= mostWrites || bytes >= mostBytes ? 0 : foldMs)
    },
    isWell: () => failures === 0 && !isClosed,
    isEmpty: () => waiting.length + underWay.length === 0,
    settle: (isMeant) => {
      if (waiting.length + underWay.length === 0) return undefined
      const meant = new Set([...underWay, ...waiting].filter(isMeant))
      return meant.size === 0 ? undefined : foldUntil(meant)
    },
    indexed: () =>
      answers === indexedAnswers ? undefined : new Promise((resolve) => listeners.push({ answers, resolve })),
    lag: () => {
      const first = underWay[0] ?? waiting[0]
      return first && { writes: underWay.length + waiting.length, since: first.at }
    },
    lacks: (key) => {
      const isMeant = ({ answered }: WaitingWrite): boolean => answered.key === key
      return underWay.some(isMeant) || waiting.some(isMeant)
    },
    close: () => {
      isClosed = true
      clearTimeout(timer)
      for (const { resolve } of listeners.splice(0)) resolve()
    },
  }
}
