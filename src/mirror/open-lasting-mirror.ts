import type { OpenMirror } from './open-mirror.ts'

/** Who hears what becomes of a mirror. */
export interface MirrorListener {
  /** Nothing more is mirrored for now. */
  onStop(reason: string): void
  /** It goes on in a new file. What was stored meanwhile is not in the mirror. */
  onBegin(): void
}

/** A mirror that stopped is tried again after a pause that grows from the first of these to the second. */
const pausesMs = [2000, 60_000] as const

/** One file after the other that a worker mirrors to. */
interface Turn {
  readonly mirror: OpenMirror
  /** Commits that it has heard the beginning of. */
  underWay: number
}

/**
 * A mirror that begins again in a new file after it had to stop: a disk that was full has room again some time, and browsers throw away just
 * the databases of those who have little.
 *
 * @param open - opens the mirror of the next file
 */
export function openLastingMirror(open: (onStop: (reason: string) => void) => OpenMirror, { onStop, onBegin }: MirrorListener, [firstMs, longestMs] = pausesMs as readonly [number, number]): OpenMirror {
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
    // It does not shrink again: where room comes and goes, files must not come and go with it.
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

  /** What can't be closed as it should be is read to its end all the same. */
  const leave = ({ mirror }: Turn): Promise<void> => mirror.close().catch(() => undefined)

  /** What was begun in one file ends there; one that is left is closed after the last. */
  async function end(turn: Turn, say: () => Promise<void> | undefined): Promise<void> {
    await say()
    turn.underWay--
    if (turn !== now && turn.underWay === 0) await leave(turn)
  }

  return {
    // Since it began again: who must know that nothing is missing opens one that does not.
    isOn: () => now.mirror.isOn(),
    hasRoom: () => now.mirror.hasRoom(),
    begin: (texts) => {
      const turn = now
      const commit = turn.mirror.begin(texts)
      turn.underWay++
      return {
        stored: () => {
          const writing = commit.stored()
          if (writing !== undefined || turn !== now) return end(turn, () => writing)
          turn.underWay--
          return undefined
        },
        undone: () => void end(turn, () => commit.undone()),
      }
    },
    erase: async (erased) => {
      const turn = now
      turn.underWay++
      const commit = await turn.mirror.erase(erased)
      return {
        stored: () => end(turn, () => commit.stored()),
        undone: () => void end(turn, () => commit.undone()),
      }
    },
    blank: (key, purged) => now.mirror.blank(key, purged),
    forget: (key, session) => now.mirror.forget(key, session),
    forgetEntries: (key, purged) => now.mirror.forgetEntries(key, purged),
    putBlob: (hash, blob) => now.mirror.putBlob(hash, blob),
    getBlob: (hash) => now.mirror.getBlob(hash),
    dropBlobs: (hashes) => now.mirror.dropBlobs(hashes),
    close: async () => {
      isClosed = true
      clearTimeout(timer)
      await trying
      await now.mirror.close()
    },
  }
}
