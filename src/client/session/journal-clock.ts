import { locksHere } from '../worker/page-lock.ts'

/** How often a stream gives a sign of life where no Web Lock does it. */
const beatMs = 20_000

/** Decides when a draft journal writes. */
export interface JournalClock {
  /** Writes now, or as soon as the wait is over; does nothing while a write is running. */
  schedule(): void
  /** Starts or resumes writing. */
  start(): void
  /** Starts no further write. Resolves when none is running; never rejects. */
  stop(): Promise<void>
  /** Stops for good, without waiting. */
  release(): void
  isStopped(): boolean
}

/**
 * Creates a clock for one journal: one write at a time. In a hidden tab timers fire once a second or once a minute, so
 * that no write waits for one there; a tab that is being hidden, frozen or left writes at once.
 *
 * @param write - writes what is pending; never rejects
 * @param hasMore - whether anything is pending
 * @param pauseMs - how long to wait after the last write began
 * @param beat - makes an empty write pending, as a sign of life
 */
export function createJournalClock(
  write: () => Promise<void>,
  hasMore: () => boolean,
  pauseMs: (isHidden: boolean) => number,
  beat: () => void,
): JournalClock {
  let writing: Promise<void> | undefined
  let beganAt = Number.NEGATIVE_INFINITY
  let isStopped = true
  let isReleased = false
  let timer: ReturnType<typeof setTimeout> | undefined
  let heartbeat: (ReturnType<typeof setInterval> & { unref?: () => void }) | undefined

  const { document } = globalThis as { readonly document?: Document }
  const isHidden = (): boolean => document?.visibilityState === 'hidden'

  function begin(): void {
    clearTimeout(timer)
    timer = undefined
    if (writing !== undefined || isStopped || isReleased) return
    beganAt = performance.now()
    writing = write().finally(() => {
      writing = undefined
      schedule()
    })
  }
  function schedule(): void {
    if (writing !== undefined || isStopped || isReleased || !hasMore()) return
    const wait = beganAt + pauseMs(isHidden()) - performance.now()
    if (wait <= 0) begin()
    else timer ??= setTimeout(begin, wait)
  }

  const onLeave = (): void => {
    if (hasMore()) begin()
  }
  const onHide = (): void => {
    if (isHidden()) onLeave()
  }
  function releaseEvents(): void {
    clearTimeout(timer)
    clearInterval(heartbeat)
    timer = undefined
    document?.removeEventListener('visibilitychange', onHide)
    document?.removeEventListener('freeze', onLeave)
    if (document !== undefined) removeEventListener('pagehide', onLeave)
  }

  return {
    schedule,
    isStopped: () => isStopped,
    start: () => {
      isStopped = false
      if (isReleased) return
      document?.addEventListener('visibilitychange', onHide)
      document?.addEventListener('freeze', onLeave)
      if (document !== undefined) addEventListener('pagehide', onLeave)
      if (locksHere() === undefined) {
        heartbeat = setInterval(() => {
          if (writing !== undefined || performance.now() - beganAt < beatMs) return
          beat()
          begin()
        }, beatMs)
        // In Node it would keep the process alive.
        heartbeat.unref?.()
      }
      schedule()
    },
    stop: async () => {
      isStopped = true
      releaseEvents()
      await writing
    },
    release: () => {
      isReleased = true
      releaseEvents()
    },
  }
}
