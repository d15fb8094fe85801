import type { DraftChange, DraftView } from '../../contract/change.ts'
import { partsOfChunk, textOfParts } from '../../domain/join-parts.ts'
import { mostTail } from './read-presence-state.ts'

/** A draft that has not grown for so long is not published any more: its end may have been missed. */
const silentMs = 10 * 60_000

/** The end of a draft of this device. */
export interface GrowingDraft {
  readonly id: string
  readonly role: string
  readonly length: number
  /** Its last characters, as many as one state carries. */
  readonly tail: string
  readonly next: number
  readonly grownAt: number
}

/** The drafts of one session that are streamed on this device. */
export interface GrowingDrafts {
  /** @returns whether something is missing, so that the list of drafts has to be read */
  handle(change: DraftChange): boolean
  /** What the store has. */
  reset(views: readonly DraftView[]): void
  /** The one that began first: two drafts in turn would cost twice as much and could not be read. */
  first(): GrowingDraft | undefined
  isEmpty(): boolean
  close(): void
}

/**
 * @param onSilent - called when {@link GrowingDrafts.first} may have changed although there was no change of a draft
 */
export function createGrowingDrafts(now: () => number, onSilent: () => void): GrowingDrafts {
  const drafts = new Map<string, GrowingDraft>()
  const grow = (draft: GrowingDraft, text: string, next: number): void =>
    void drafts.set(draft.id, {
      ...draft,
      length: draft.length + text.length,
      tail: (draft.tail + text).slice(-mostTail),
      next,
      grownAt: now(),
    })
  const begin = ({ id, role, text, next }: DraftView): void =>
    grow({ id, role, length: 0, tail: '', next, grownAt: 0 }, text, next)
  const first = (): GrowingDraft | undefined => [...drafts.values()].find(({ grownAt }) => now() - grownAt < silentMs)
  const silence = createSilenceTimer(() => {
    const current = first()
    // A clock that was set back must not make the wait longer than the silence.
    return current && Math.min(silentMs, current.grownAt + silentMs - now())
  }, onSilent)
  const take = ({ draft: id, view, added }: DraftChange): boolean => {
    const known = drafts.get(id)
    if (view !== undefined) {
      if (known === undefined) begin(view)
      return false
    }
    if (added === undefined) {
      drafts.delete(id)
      return false
    }
    if (known === undefined || added.n > known.next) return true
    if (added.n === known.next) grow(known, textOfParts(partsOfChunk(added), 'text'), added.n + 1)
    return false
  }

  return {
    handle: (change) => {
      const isMissing = take(change)
      silence.start()
      return isMissing
    },
    reset: (views) => {
      const live = new Set(views.map(({ id }) => id))
      for (const id of drafts.keys()) if (!live.has(id)) drafts.delete(id)
      for (const view of views) if ((drafts.get(view.id)?.next ?? -1) < view.next) begin(view)
      silence.start()
    },
    first,
    isEmpty: () => drafts.size === 0,
    close: silence.close,
  }
}

/**
 * One timer, restarted when it fires and not with every word.
 *
 * @param leftMs - how long to wait from now on, in milliseconds; `undefined` where there is nothing to wait for
 */
function createSilenceTimer(
  leftMs: () => number | undefined,
  onSilent: () => void,
): { readonly start: () => void; readonly close: () => void } {
  let timer: ReturnType<typeof setTimeout> | undefined
  let isClosed = false
  const stop = (): void => {
    clearTimeout(timer)
    timer = undefined
  }
  const start = (): void => {
    const ms = leftMs()
    if (ms === undefined || isClosed) return stop()
    timer ??= setTimeout(() => {
      timer = undefined
      onSilent()
      start()
    }, ms)
  }
  return {
    start,
    close: () => {
      isClosed = true
      stop()
    },
  }
}
