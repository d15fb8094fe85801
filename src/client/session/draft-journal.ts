import type { DraftChunk, DraftPart } from '../../contract/change.ts'
import { isSessionError } from '../../contract/errors.ts'
import { joinParts } from '../../domain/join-parts.ts'
import { locksHere } from '../worker/page-lock.ts'
import { isHighSurrogate, sizeOfPiece, takeChunk } from './take-chunk.ts'

/** At most so often a growing reply is journalled. */
const journalMs = 150
/** Characters of one write. More go in several. */
const chunkSize = 32_768
/** How long a journal that fails waits at most until it tries again. */
const patienceMs = 5000
/** How often a stream gives a sign of life where no Web Lock does it for it. */
const beatMs = 20_000

type TextPiece = Exclude<DraftPart, { type: 'part' }>

/** Writes down what a reply has so far, while it grows. */
export interface DraftJournal {
  add(piece: DraftPart): void
  /** Begins no further write. Resolves when none is under way; never rejects. */
  stop(): Promise<void>
  /** Goes on after a stop. */
  start(): void
}

/**
 * Journals the pieces of a reply: the first at once, what follows 150 ms after the last write began, however long that
 * took, or when it has ended if it took longer: one write at a time. So a crash takes what came while one write was
 * under way, and never more than 150 ms where writes are quick. Each write has the pieces since the one before and
 * nothing else. A write that fails is tried again.
 *
 * In a hidden tab timers come once a second or once a minute, so that there nothing waits for one: each piece is
 * written as soon as the write before has ended; a tab that is being hidden, frozen or left writes down what it has.
 *
 * @param write - stores write number `n`
 * @param first - number of the first write
 */
export function createDraftJournal(
  write: (n: number, chunk: DraftChunk) => Promise<void>,
  first: number,
): DraftJournal {
  const pending: DraftPart[] = []
  /** Characters in them. */
  let size = 0
  /** The first half of a character whose other half is still to come: half of one can't be stored. */
  let half: TextPiece | undefined
  let next = first
  /** What was cut off and is not known to be stored. */
  let unsent: DraftChunk | undefined
  let writing: Promise<void> | undefined
  let beganAt = Number.NEGATIVE_INFINITY
  let failures = 0
  let isStopped = true
  /** No more can ever be stored: that is told at the end. */
  let isRefused = false
  let timer: ReturnType<typeof setTimeout> | undefined
  let beat: (ReturnType<typeof setInterval> & { unref?: () => void }) | undefined

  const { document } = globalThis as { readonly document?: Document }
  const isHidden = (): boolean => document?.visibilityState === 'hidden'

  function begin(): void {
    clearTimeout(timer)
    timer = undefined
    if (writing !== undefined || isStopped || isRefused) return
    beganAt = performance.now()
    writing = writeAll().finally(() => {
      writing = undefined
      schedule()
    })
  }

  /** Pieces of one task go together. */
  async function writeAll(): Promise<void> {
    await Promise.resolve()
    do {
      if (unsent === undefined) {
        const { chunk, taken } = takeChunk(pending, chunkSize)
        size -= taken
        unsent = chunk
      }
      if (!(await writeOne(unsent))) return
    } while (size >= chunkSize && !isStopped)
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
      isRefused = (
        ['InvalidInput', 'SessionNotFound', 'StorageClosed', 'AccessDenied', 'ParentMoved', 'TooLarge'] as const
      ).some((name) => isSessionError(error, name))
      if (isRefused) {
        pending.length = 0
        letGo()
      }
      return false
    }
  }

  function schedule(): void {
    if (writing !== undefined || isStopped || isRefused || !hasMore()) return
    const backoff = failures === 0 ? 0 : Math.min(journalMs * 2 ** failures, patienceMs)
    const wait = beganAt + Math.max(backoff, isHidden() || size >= chunkSize ? 0 : journalMs) - performance.now()
    if (wait <= 0) begin()
    else timer ??= setTimeout(begin, wait)
  }

  const hasMore = (): boolean => unsent !== undefined || pending.length > 0
  const onLeave = (): void => {
    if (hasMore()) begin()
  }
  const onHide = (): void => {
    if (isHidden()) onLeave()
  }

  function start(): void {
    isStopped = false
    if (isRefused) return
    document?.addEventListener('visibilitychange', onHide)
    document?.addEventListener('freeze', onLeave)
    if (document !== undefined) addEventListener('pagehide', onLeave)
    if (locksHere() === undefined) {
      beat = setInterval(() => {
        if (writing !== undefined || performance.now() - beganAt < beatMs) return
        unsent ??= {}
        begin()
      }, beatMs)
      // In Node it would keep the process alive.
      beat.unref?.()
    }
    schedule()
  }

  /** Leaves neither a timer nor a listener: what is refused once is refused for good. */
  function letGo(): void {
    clearTimeout(timer)
    clearInterval(beat)
    timer = undefined
    document?.removeEventListener('visibilitychange', onHide)
    document?.removeEventListener('freeze', onLeave)
    if (document !== undefined) removeEventListener('pagehide', onLeave)
  }

  function release(): readonly DraftPart[] {
    const held = half
    half = undefined
    return held === undefined ? [] : [held]
  }
  function withoutHalf(piece: TextPiece): readonly DraftPart[] {
    const [held] = release()
    const isNext =
      held !== undefined &&
      held.type === piece.type &&
      (held as { readonly id?: string }).id === (piece as { readonly id?: string }).id
    const text = (isNext ? textOf(held as TextPiece) : '') + textOf(piece)
    const isCut = isHighSurrogate(text.charCodeAt(text.length - 1))
    if (isCut) half = withText(piece, text.slice(-1))
    const whole = withText(piece, isCut ? text.slice(0, -1) : text)
    const isNothing = whole.type !== 'toolInput' && whole.text === ''
    return [...(held === undefined || isNext ? [] : [held]), ...(isNothing ? [] : [whole])]
  }

  start()
  return {
    add: (piece) => {
      if (isRefused) return
      for (const whole of piece.type === 'part' ? [...release(), piece] : withoutHalf(piece)) {
        joinParts(pending, [whole])
        size += sizeOfPiece(whole)
      }
      schedule()
    },
    stop: async () => {
      isStopped = true
      letGo()
      await writing
    },
    start,
  }
}

const textOf = (piece: TextPiece): string => (piece.type === 'toolInput' ? piece.input : piece.text)

const withText = (piece: TextPiece, text: string): TextPiece =>
  piece.type === 'toolInput' ? { ...piece, input: text } : { ...piece, text }
