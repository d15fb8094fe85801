import type { VersionVector } from '../contract/entry.ts'
import { includesVector } from '../domain/version-vector.ts'
import type { SessionLink, SessionTrouble } from './session-link.ts'
import type { SessionSyncState } from './status.ts'

/** What a session's connection tells of itself. */
export interface WindowEvents {
  /** Both sides have what this vector counts. */
  readonly onSynced: (proven: VersionVector) => void
  readonly onTrouble: (trouble: SessionTrouble) => void
}

export interface SessionWindowOptions {
  /** Sessions connected at once. */
  readonly size: number
  /** How long one stays connected after it last changed, in milliseconds, unless another needs its place. */
  readonly liveMs: number
  /** Whether it stays connected longer than that. */
  readonly isKept: (key: string) => boolean
  readonly now: () => number
  readonly open: (key: string, events: WindowEvents) => Promise<SessionLink>
  /**
   * Both sides have what this vector counts.
   *
   * @param isMost - more can't be sent, whatever else is here
   * @returns whether that settles it; else what is here is sent and proven first
   */
  readonly onSynced: (key: string, proven: VersionVector, isMost: boolean) => Promise<boolean>
  readonly onTrouble: (key: string, trouble: SessionTrouble) => void
  readonly onChange: () => void
}

/** The sessions that are connected, never more than `size`, and those that wait to be: a server has few documents open for each connection. */
export interface SessionWindow {
  /** Has these exchanged, in this order, before those that wait already. */
  add(keys: readonly string[]): void
  /** Connects one that somebody among equals asks for, whatever waits here: two that wait for each other would do so for ever. */
  serve(key: string): void
  /** Whether it is connected, or about to be. */
  isOpen(key: string): boolean
  state(key: string): SessionSyncState
  states(): ReadonlyMap<string, SessionSyncState>
  /** How many wait or are under way; how many of how many are done since none was. */
  pending(): number
  progress(): { readonly done: number; readonly total: number }
  /** Sends on what a connected session has got. @returns how many entries; 0 where it is not connected */
  publish(key: string): Promise<number>
  /** Lets go of one that is gone. Resolves when nothing of it is under way any more. */
  drop(key: string): Promise<void>
  /** Lets go of those that nobody has changed for a while. */
  rest(): void
  /** Takes up waiting ones, from now on. */
  start(): void
  /** Lets go of all, and takes up none until it is started again. */
  stop(): Promise<void>
}

interface Open {
  readonly link: Promise<SessionLink>
  /** When it last changed. */
  since: number
  /** Ends the exchange that is under way. */
  settle: () => void
  /** Why the other side takes nothing from here. */
  readonly?: SessionTrouble
}

export function createSessionWindow({ size, liveMs, isKept, now, open, onSynced, onTrouble, onChange }: SessionWindowOptions): SessionWindow {
  const opened = new Map<string, Open>()
  const states = new Map<string, SessionSyncState>()
  /** What is under way, up to its being settled. */
  const busy = new Set<string>()
  /** What of it somebody else has asked for. */
  const served = new Set<string>()
  let waiting: string[] = []
  let isStarted = false
  let done = 0
  let total = 0

  const work = (): void => {
    while (isStarted && busy.size - served.size < size && waiting.length > 0) take(waiting.shift()!)
  }

  const take = (key: string): void => {
    if (!opened.has(key) && opened.size >= size) releaseOldest()
    busy.add(key)
    states.set(key, 'syncing')
    void exchange(key).finally(() => {
      busy.delete(key)
      served.delete(key)
      done += 1
      work()
      onChange()
    })
  }

  /** Settles once both sides have the same, or can't come to it now. */
  const exchange = (key: string): Promise<void> =>
    new Promise((resolve) => {
      const known = opened.get(key)
      if (known !== undefined) {
        known.settle()
        Object.assign(known, { settle: resolve, since: now() })
        void again(key, known)
        return
      }
      const events: WindowEvents = {
        onSynced: (proven) => {
          if (opened.get(key) === one) void note(key, one, proven, false)
        },
        onTrouble: (trouble) => {
          if (opened.get(key) !== one) return
          if (trouble.state !== 'readonly') return end(key, one, trouble)
          stayReadonly(key, one, (one.readonly = trouble))
        },
      }
      const one: Open = { link: Promise.resolve().then(() => open(key, events)), since: now(), settle: resolve }
      opened.set(key, one)
      one.link.catch((error: Error) => end(key, one, { state: 'error', message: error.message }))
    })

  /** Sends what is here, and finds out anew whether both sides have the same. @returns how far what is here can be sent */
  const again = async (key: string, one: Open): Promise<VersionVector | undefined> => {
    try {
      const { readonly } = one
      const link = await one.link
      await link.recheck()
      // The two never come to have the same then: what the others send comes by itself.
      if (readonly !== undefined) stayReadonly(key, one, readonly)
      return link.document.vector()
    } catch (error) {
      end(key, one, { state: 'error', message: (error as Error).message })
      return undefined
    }
  }

  const note = async (key: string, one: Open, proven: VersionVector, isMost: boolean): Promise<void> => {
    // Another exchange may have begun when it is noted.
    const { settle } = one
    const isSettled = await onSynced(key, proven, isMost)
    if (opened.get(key) !== one || one.settle !== settle) return settle()
    if (isSettled) {
      states.set(key, 'synced')
      return settle()
    }
    states.set(key, 'syncing')
    const reached = await again(key, one)
    // What stands behind something that is lost here has no place in the document.
    if (opened.get(key) === one && reached !== undefined && includesVector(proven, reached)) await note(key, one, proven, true)
  }

  /** It goes on: what others send still comes. */
  const stayReadonly = (key: string, one: Open, trouble: SessionTrouble): void => {
    if (opened.get(key) !== one) return
    states.set(key, 'readonly')
    onTrouble(key, trouble)
    one.settle()
  }

  const end = (key: string, one: Open, trouble: SessionTrouble): void => {
    if (opened.get(key) !== one) return
    states.set(key, trouble.state === 'offline' ? 'waiting' : trouble.state)
    release(key)
    onTrouble(key, trouble)
  }

  const release = (key: string): Promise<void> => {
    const one = opened.get(key)
    if (one === undefined) return Promise.resolve()
    opened.delete(key)
    one.settle()
    return one.link.then((link) => link.close()).catch(() => undefined)
  }

  /** Makes room: a server refuses who has too many documents open, and each takes memory here. */
  const releaseOldest = (): void => {
    let oldest: string | undefined
    for (const [key, { since }] of opened) if (!busy.has(key) && since < (opened.get(oldest ?? '')?.since ?? Infinity)) oldest = key
    if (oldest !== undefined) void release(oldest)
  }

  return {
    add: (keys) => {
      const fresh = keys.filter((key) => !busy.has(key))
      if (waiting.length + busy.size === 0) [done, total] = [0, 0]
      const asked = new Set(fresh)
      const before = waiting.length
      waiting = [...fresh, ...waiting.filter((key) => !asked.has(key))]
      total += waiting.length - before
      for (const key of fresh) states.set(key, 'waiting')
      work()
      onChange()
    },
    serve: (key) => {
      // Whoever asks too much at once asks again.
      if (!isStarted || busy.has(key) || opened.has(key) || served.size >= size) return
      if (waiting.length + busy.size === 0) [done, total] = [0, 0]
      const before = waiting.length
      waiting = waiting.filter((one) => one !== key)
      if (waiting.length === before) total += 1
      served.add(key)
      take(key)
      onChange()
    },
    isOpen: (key) => opened.has(key) || busy.has(key),
    state: (key) => states.get(key) ?? 'unknown',
    states: () => states,
    pending: () => waiting.length + busy.size,
    progress: () => ({ done, total }),
    publish: async (key) => {
      const one = opened.get(key)
      if (one === undefined) return 0
      one.since = now()
      return (await one.link).publish()
    },
    drop: (key) => {
      waiting = waiting.filter((one) => one !== key)
      states.delete(key)
      return release(key)
    },
    rest: () => {
      const since = now() - liveMs
      for (const [key, one] of opened) if (one.since < since && !busy.has(key) && !isKept(key)) void release(key)
    },
    start: () => {
      isStarted = true
      work()
    },
    stop: async () => {
      isStarted = false
      waiting = []
      // The next connection finds out anew; another key than ours stays another.
      for (const [key, state] of states) if (state !== 'synced' && state !== 'wrongKey') states.set(key, 'unknown')
      await Promise.all([...opened.keys()].map(release))
    },
  }
}
