import { type Doc, encodeStateVector } from 'yjs'
import { SessionError } from '../contract/errors.ts'
import { hasAll } from './has-all.ts'
import type { LinkStatus } from './link.ts'
import { readStateVector } from './read-state-vector.ts'
import { waitUntil } from './wait-until.ts'

/** What the other side says of the list while the key is changed. */
export interface ListAnswers {
  noteList(): void
  noteVector(stateVector: Uint8Array): void
  noteStatus(status: LinkStatus): void
  /** Something else has changed that somebody may wait for. */
  noteChange(): void
  /** Whether the other side has everything that is here. */
  haveAllOf(doc: Doc): boolean
  /** Resolves when it has. @throws AccessDenied, Aborted */
  untilAllOf(doc: Doc): Promise<void>
  /** Asks, and resolves with the next answer. @throws AccessDenied, Aborted */
  next(ask: () => void): Promise<void>
  /** Resolves when the list of the other side has arrived. @throws AccessDenied, Aborted */
  arrived(): Promise<void>
}

export function createListAnswers(signal: AbortSignal): ListAnswers {
  const listeners = new Set<() => void>()
  let link: LinkStatus = { state: 'connecting' }
  let hasList = false
  let theirs: ReadonlyMap<number, number> | undefined
  let count = 0

  const changed = (): void => listeners.forEach((listener) => listener())
  const subscribe = (listener: () => void): (() => void) => {
    listeners.add(listener)
    return () => void listeners.delete(listener)
  }
  const obstacle = (): SessionError | undefined => {
    if (signal.aborted)
      return new SessionError('Aborted', 'The change of keys was stopped. Call it again for the rest.')
    if (link.state === 'readonly')
      return new SessionError('AccessDenied', 'This device may only read. Change the key on one that may write.')
    if (link.state !== 'denied') return undefined
    return new SessionError('AccessDenied', `The other side refuses us: ${link.message}. Sign in again.`)
  }
  const until = (isMet: () => boolean): Promise<void> => waitUntil(isMet, { subscribe, obstacle, signal })
  const haveAllOf = (doc: Doc): boolean =>
    theirs !== undefined && hasAll(theirs, readStateVector(encodeStateVector(doc)))

  return {
    noteList: () => {
      hasList = true
      changed()
    },
    noteVector: (stateVector) => {
      theirs = readStateVector(stateVector)
      count += 1
      changed()
    },
    noteStatus: (status) => {
      link = status
      if (status.state !== 'connected') theirs = undefined
      changed()
    },
    noteChange: changed,
    haveAllOf,
    untilAllOf: (doc) => until(() => haveAllOf(doc)),
    next: (ask) => {
      const before = count
      ask()
      return until(() => count > before && theirs !== undefined)
    },
    arrived: () => until(() => hasList),
  }
}
