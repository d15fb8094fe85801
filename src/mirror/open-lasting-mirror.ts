import type { MirroredCommit } from './mirror-commits.ts'
import type { OpenMirror } from './open-mirror.ts'

/** Is called when a mirror stops and when it starts again. */
export interface MirrorListener {
  /** Nothing more is mirrored for now. */
  onStop(reason: string): void
  /** The mirror continues in a new file. It lacks what was stored meanwhile. */
  onBegin(): void
}

/** Shortest and longest pause before a stopped mirror is tried again. */
const pausesMs = [2000, 60_000] as const

/** One of the files that a worker mirrors to, one after the other. */
interface Turn {
  readonly mirror: OpenMirror
  /** Commits that began in this file and are not settled yet. */
  underWay: number
}

interface Turns {
  current(): Turn
  /**
   * Settles a commit that began in a turn. A turn that is no longer the current one is closed after its last commit.
   */
  settle(turn: Turn, act: () => Promise<void> | undefined): Promise<void>
  close(): Promise<void>
}

/**
 * A mirror that starts again in a new file after it had to stop. A full disk may have room again later, and the mirror
 * is needed most when space is short, because browsers delete databases then.
 *
 * @param open - opens the mirror of the next file
 */
export function openLastingMirror(
  open: (onStop: (reason: string) => void) => OpenMirror,
  listener: MirrorListener,
  pauses: readonly [number, number] = pausesMs,
): OpenMirror {
  const turns = takeTurns(open, listener, pauses)
  const { settle } = turns
  const mirror = (): OpenMirror => turns.current().mirror
  /** Settles a commit in the file where it began. */
  const inTurn = (turn: Turn, commit: MirroredCommit): MirroredCommit => ({
    stored: () => settle(turn, () => commit.stored()),
    undone: () => void settle(turn, () => commit.undone()),
  })
  /** What begins in the current file keeps it open until it is done. */
  const turnOf = (act: (current: OpenMirror) => Promise<void> | undefined): Promise<void> | undefined => {
    const turn = turns.current()
    const writing = act(turn.mirror)
    if (writing === undefined) return undefined
    turn.underWay++
    return settle(turn, () => writing)
  }

  return {
    // It refers to the time since the last start. A caller that must know that nothing is missing needs a mirror that
    // does not start again.
    isOn: () => mirror().isOn(),
    hasRoom: () => mirror().hasRoom(),
    journal: (texts) => mirror().journal(texts),
    end: () => mirror().end(),
    begin: (texts) => {
      const turn = turns.current()
      const commit = turn.mirror.begin(texts)
      turn.underWay++
      return {
        ...inTurn(turn, commit),
        stored: () => {
          const writing = commit.stored()
          if (writing !== undefined || turn !== turns.current()) return settle(turn, () => writing)
          // Nothing is pending, so that the commit need not wait either.
          turn.underWay--
          return undefined
        },
      }
    },
    erase: async (erased, listMarks) => {
      const turn = turns.current()
      turn.underWay++
      try {
        return inTurn(turn, await turn.mirror.erase(erased, listMarks))
      } catch (error) {
        await settle(turn, () => undefined)
        throw error
      }
    },
    blank: (key, purged) => mirror().blank(key, purged),
    forget: (key, session, before) => mirror().forget(key, session, before),
    forgetEntries: (key, purged) => mirror().forgetEntries(key, purged),
    addRows: (parts) => turnOf((current) => current.addRows(parts)),
    markRestored: (restored) => turnOf((current) => current.markRestored(restored)),
    flush: () => mirror().flush(),
    putBlob: (hash, blob) => mirror().putBlob(hash, blob),
    getBlob: (hash) => mirror().getBlob(hash),
    dropBlobs: (hashes) => mirror().dropBlobs(hashes),
    close: turns.close,
  }
}

function takeTurns(
  open: (onStop: (reason: string) => void) => OpenMirror,
  { onStop, onBegin }: MirrorListener,
  [firstMs, longestMs]: readonly [number, number],
): Turns {
  let pauseMs = firstMs
  let timer: ReturnType<typeof setTimeout> | undefined
  let trying: Promise<void> | undefined
  let isClosed = false
  let now: Turn = begin()

  function begin(): Turn {
    const turn: Turn = {
      mirror: open((reason) => {
        if (turn !== now || isClosed) return
        onStop(reason)
        tryLater()
      }),
      underWay: 0,
    }
    return turn
  }

  function tryLater(): void {
    if (isClosed) return
    timer = setTimeout(() => (trying = tryAgain()), pauseMs)
    // The pause never becomes shorter again, so that no files are created and removed all the time where free space
    // varies.
    pauseMs = Math.min(pauseMs * 2, longestMs)
  }

  async function tryAgain(): Promise<void> {
    const next = begin()
    const isBegun = (await next.mirror.hasRoom()) && !isClosed
    const last = isBegun ? now : next
    if (isBegun) {
      now = next
      onBegin()
    } else tryLater()
    if (last.underWay === 0) await leave(last)
  }

  /** A file that can't be closed properly can still be read to its end. */
  const leave = ({ mirror }: Turn): Promise<void> => mirror.close().catch(() => undefined)

  return {
    current: () => now,
    settle: async (turn, act) => {
      await act()
      turn.underWay--
      if (turn !== now && turn.underWay === 0) await leave(turn)
    },
    close: async () => {
      isClosed = true
      clearTimeout(timer)
      await trying
      await now.mirror.close()
    },
  }
}
