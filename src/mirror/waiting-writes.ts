import type { JournalLag } from '../contract/journal.ts'
import type { WaitingWrite } from './store-answered.ts'

/** The answered writes that the database does not have yet, oldest first. */
export interface WaitingWrites {
  add(writes: readonly Omit<WaitingWrite, 'n'>[]): void
  /** Takes all of them for a fold. They count as waiting until it is over. */
  take(): readonly WaitingWrite[]
  /** A fold is over. @param left - what it could not store */
  putBack(left: readonly WaitingWrite[]): void
  drop(isMeant: (write: WaitingWrite) => boolean): void
  find(isMeant: (write: WaitingWrite) => boolean): readonly WaitingWrite[]
  some(isMeant: (write: WaitingWrite) => boolean): boolean
  count(): number
  /** Whether there are so many that they should be folded at once. */
  isFull(): boolean
  /** Whether there are so many, with those of a fold that is under way, that no more should be answered. */
  isOverfull(): boolean
  /** Whether some wait for the next fold. */
  isDue(): boolean
  /** How many writes were answered so far. */
  answers(): number
  /** The number of the first answer to each session that the database does not have yet. */
  missing(): ReadonlyMap<string, number>
  lag(): JournalLag | undefined
}

/** So many writes, or bytes of entries, are folded at once. */
const mostWrites = 2048
const mostBytes = 2 ** 23
/**
 * How many times as much waits at most. A database that is slower than its journal would fill the memory otherwise, and
 * the next start would have to store all of it before its first answer.
 */
const mostWaiting = 16

const bytesOf = ({ answered }: Pick<WaitingWrite, 'answered'>): number =>
  answered.entries.reduce((sum, entry) => sum + entry.bytes, 0)

/** @param most - how many times as much as is folded at once waits at most */
export function createWaitingWrites(most = mostWaiting): WaitingWrites {
  let waiting: WaitingWrite[] = []
  let underWay: readonly WaitingWrite[] = []
  let bytes = 0
  let bytesUnderWay = 0
  let answers = 0
  const lists = (): readonly (readonly WaitingWrite[])[] => [underWay, waiting]

  return {
    add: (writes) => {
      for (const one of writes) {
        waiting.push({ ...one, n: ++answers })
        bytes += bytesOf(one)
      }
    },
    take: () => {
      underWay = waiting
      waiting = []
      bytesUnderWay = bytes
      bytes = 0
      return underWay
    },
    putBack: (left) => {
      underWay = []
      bytesUnderWay = 0
      waiting = [...left, ...waiting]
      for (const one of left) bytes += bytesOf(one)
    },
    drop: (isMeant) => {
      waiting = waiting.filter((one) => !isMeant(one))
      bytes = waiting.reduce((sum, one) => sum + bytesOf(one), 0)
    },
    find: (isMeant) => lists().flatMap((list) => list.filter(isMeant)),
    some: (isMeant) => lists().some((list) => list.some(isMeant)),
    count: () => underWay.length + waiting.length,
    isFull: () => waiting.length >= mostWrites || bytes >= mostBytes,
    isOverfull: () =>
      underWay.length + waiting.length >= most * mostWrites || bytesUnderWay + bytes >= most * mostBytes,
    isDue: () => waiting.length > 0,
    answers: () => answers,
    missing: () => {
      const first = new Map<string, number>()
      for (const list of lists())
        for (const { answered, n } of list) if (!first.has(answered.key)) first.set(answered.key, n)
      return first
    },
    lag: () => {
      const first = underWay[0] ?? waiting[0]
      return first && { writes: underWay.length + waiting.length, since: first.at }
    },
  }
}
