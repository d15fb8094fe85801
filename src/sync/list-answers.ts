import { type Doc, encodeStateVector } from 'yjs'
import { SessionError } from '../contract/errors.ts'
import { hasAll } from './has-all.ts'
import { keepAsking } from './keep-asking.ts'
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
  /** Resolves when the other side has everything that is here. @throws AccessDenied, Aborted */
  untilAllOf(doc: Doc, ask: () => void): Promise<void>
  /**
   * Resolves when it has answered a question that was asked after everything so far was sent. State vectors do not show
   * deletions. @throws AccessDenied, Aborted
   */
  proven(ask: () => void): Promise<void>
  /** Resolves when the list of the other side has arrived. @throws AccessDenied, Aborted */
  arrived(ask: () => void): Promise<void>
}

/** Answers after a connection was lost: to say what was there before, what was sent then, and to a question after that. */
const answersAnew = 3

/** What the other side has said so far. */
interface Said {
  link: LinkStatus
  hasList: boolean
  theirs: ReadonlyMap<number, number> | undefined
  answers: number
  /** Questions that may still be answered. */
  open: number
  /** How often the connection was not there. */
  losses: number
}

export function createListAnswers(signal: AbortSignal): ListAnswers {
  const listeners = new Set<() => void>()
  const said: Said = {
    ...{ link: { state: 'connecting' }, hasList: false, theirs: undefined },
    ...{ answers: 0, open: 0, losses: 0 },
  }
  const subscribe = (listener: () => void): (() => void) => {
    listeners.add(listener)
    return () => void listeners.delete(listener)
  }
  const obstacle = (): SessionError | undefined => obstacleTo(said.link, signal)
  /** An answer may be lost: it is asked again until there is one. */
  const until = async (isMet: () => boolean, ask: () => void): Promise<void> => {
    const stop = keepAsking(() => {
      said.open += 1
      ask()
    })
    await waitUntil(isMet, { subscribe, obstacle, signal }).finally(stop)
  }
  const next = (ask: () => void): Promise<void> => {
    const before = said.answers
    said.open += 1
    ask()
    return until(() => said.answers > before && said.theirs !== undefined, ask)
  }
  const hasAllOf = (doc: Doc): boolean =>
    said.theirs !== undefined && hasAll(said.theirs, readStateVector(encodeStateVector(doc)))

  return {
    ...notesOf(said, () => listeners.forEach((listener) => listener())),
    untilAllOf: async (doc, ask) => {
      if (hasAllOf(doc)) return
      ask()
      await until(() => hasAllOf(doc), ask)
    },
    proven: async (ask) => {
      // What was asked before, and at least one that the other side says by itself, may come first.
      let [needed, of] = [Math.max(1, said.open) + 1, said.losses]
      while (needed > 0) {
        await next(ask)
        if (of === said.losses) needed -= 1
        else [needed, of] = [answersAnew, said.losses]
      }
    },
    arrived: (ask) => until(() => said.hasList, ask),
  }
}

function notesOf(
  said: Said,
  changed: () => void,
): Pick<ListAnswers, 'noteList' | 'noteVector' | 'noteStatus' | 'noteChange'> {
  return {
    noteList: () => {
      said.hasList = true
      changed()
    },
    noteVector: (stateVector) => {
      said.theirs = readStateVector(stateVector)
      said.answers += 1
      said.open = Math.max(0, said.open - 1)
      changed()
    },
    noteStatus: (status) => {
      said.link = status
      if (status.state !== 'connected') {
        said.theirs = undefined
        said.open = 0
        said.losses += 1
      }
      changed()
    },
    noteChange: changed,
  }
}

function obstacleTo(link: LinkStatus, { aborted }: AbortSignal): SessionError | undefined {
  if (aborted) return new SessionError('Aborted', 'The change of keys was stopped. Call it again for the rest.')
  if (link.state !== 'denied') return undefined
  return new SessionError('AccessDenied', `The other side refuses us: ${link.message}. Sign in again.`)
}
