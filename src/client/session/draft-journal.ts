import type { DraftChunk, DraftPart } from '../../contract/change.ts'
import { isSessionError } from '../../contract/errors.ts'
import { createJournalClock } from './journal-clock.ts'
import { createPieceBuffer } from './piece-buffer.ts'

/** A growing reply is journalled at most this often. */
const journalMs = 150
/** Characters of one write. More go in several. */
const chunkSize = 32_768
/** The longest pause before a failed write is retried. */
const longestPauseMs = 5000

/** Stores a reply while it grows. */
export interface DraftJournal {
  add(piece: DraftPart): void
  /** Starts no further write. Resolves when none is running; never rejects. */
  stop(): Promise<void>
  /** Resumes after a stop. */
  start(): void
}

/**
 * Journals the pieces of a reply. The first piece is written at once. Later pieces are written 150 ms after the last
 * write began, or when that write ends if it took longer: one write runs at a time. So a crash loses what arrived during
 * one write, and no more than 150 ms where writes are quick. Each write has only the pieces since the one before. A
 * failed write is retried.
 *
 * @param write - stores write number `n`
 * @param first - number of the first write
 */
export function createDraftJournal(
  write: (n: number, chunk: DraftChunk) => Promise<void>,
  first: number,
): DraftJournal {
  const buffer = createPieceBuffer()
  let next = first
  /** The chunk that was taken out of the buffer and may not be stored yet. */
  let unsent: DraftChunk | undefined
  let failures = 0
  /** Nothing can be stored any more. The end of the stream reports it. */
  let isRefused = false

  /** Pieces of one task are written together. */
  async function writeAll(): Promise<void> {
    await Promise.resolve()
    do {
      unsent ??= buffer.take(chunkSize)
      if (!(await writeOne(unsent))) return
    } while (buffer.size >= chunkSize && !clock.isStopped())
  }

  async function writeOne(chunk: DraftChunk): Promise<boolean> {
    try {
      await write(next, chunk)
      unsent = undefined
      next++
      failures = 0
      return true
    } catch (error) {
      failures++
      isRefused = isFinal(error)
      if (isRefused) {
        buffer.clear()
        clock.release()
      }
      return false
    }
  }

  const clock = createJournalClock(
    writeAll,
    () => unsent !== undefined || !buffer.isEmpty(),
    (isHidden) =>
      Math.max(
        failures === 0 ? 0 : Math.min(journalMs * 2 ** failures, longestPauseMs),
        isHidden || buffer.size >= chunkSize ? 0 : journalMs,
      ),
    () => {
      unsent ??= {}
    },
  )
  clock.start()
  return {
    add: (piece) => {
      if (isRefused) return
      buffer.add(piece)
      clock.schedule()
    },
    stop: clock.stop,
    start: clock.start,
  }
}

/** Whether no later write of this draft can succeed either. */
const isFinal = (error: unknown): boolean =>
  (['InvalidInput', 'SessionNotFound', 'StorageClosed', 'AccessDenied', 'ParentMoved', 'TooLarge'] as const).some(
    (name) => isSessionError(error, name),
  )
