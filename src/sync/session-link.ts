import { includesVector, joinVectors } from '../domain/version-vector.ts'
import type { VersionVector } from '../contract/entry.ts'
import type { LinkTrouble, SyncConnection, SyncTransport } from './link.ts'
import type { Visit } from './presence/create-presence.ts'
import { readStateVector } from './read-state-vector.ts'
import { toVector } from './to-vector.ts'
import { openSyncDocument, type ReceiveReport, type SyncDocument, type SyncDocumentOptions } from './sync-document.ts'

/** What is in the way of one session: its connection, or a key that is not here. */
export type SessionTrouble = LinkTrouble | { readonly state: 'wrongKey'; readonly message: string }

/** Answers in a row that changed nothing, beyond those to questions from before what was said last. */
const mostAsks = 3
/**
 * Deletions are in no state vector. They go out once the first answer has told what the other side lacks of them; so the second is to a question that
 * may have been on its way, and the third to one that came behind them.
 */
const answersOfErasure = 3
/** How long an answer is waited for before it is asked for again, in milliseconds. */
const nudgeMs = 2000

export interface SessionLinkOptions extends SyncDocumentOptions {
  readonly transport: SyncTransport
  /** Who is here, where presence is on; left when the link is closed. */
  readonly visit?: Visit
  readonly onReport: (report: ReceiveReport) => void
  /** So many entries are on their way to the other side. */
  readonly onSent: (entries: number) => void
  /** Both sides have the same, as far as the other's is allowed here. Again after each time that was no longer so. */
  readonly onSynced: (vector: VersionVector) => void
  /** It ended, or can't go on as it is. */
  readonly onTrouble: (trouble: SessionTrouble) => void
}

/** One session being synced: its document on its connection. */
export interface SessionLink {
  readonly document: SyncDocument
  /** Sends on what the log has got. @returns how many entries */
  publish(): Promise<number>
  /** Finds out anew whether both sides have the same; `onSynced` says so. */
  recheck(): Promise<void>
  close(): Promise<void>
}

export async function openSessionLink(options: SessionLinkOptions): Promise<SessionLink> {
  const { transport, visit, onReport, onSent, onSynced, onTrouble } = options
  const document = await openSyncDocument(options)
  let connection: SyncConnection | undefined
  let theirs: VersionVector | undefined
  /** How far what they sent was looked through: what it held is here, or was refused. */
  let answered: VersionVector = {}
  let isReadonly = false
  let isClosed = false
  let asks = 0
  let answers = 0
  /** Questions since both sides were seen to have the same: their answers may all be on their way. */
  let earlier = 0
  let receiving = 0
  /** Whether the other side has not been seen to have the same since something was said, or was asked for. */
  let isOpen = true
  let nudge: ReturnType<typeof setTimeout> | undefined

  /** An answer that was on its way already may not know of what was said last: it is asked for again until there is one that does. */
  const expectAnswer = (): void => {
    isOpen = true
    nudge ??= setTimeout(() => {
      nudge = undefined
      if (!isOpen || isClosed || isReadonly) return
      if (receiving === 0) connection?.ask()
      expectAnswer()
    }, nudgeMs)
  }

  /** Bounded, or two that can't agree would ask each other for ever. */
  const ask = (): void => {
    asks += 1
    if (asks <= mostAsks + earlier) connection?.ask()
    else onTrouble({ state: 'error', message: 'the other side still lacks what it was sent, or sends what can not be taken in' })
  }

  /** Whether they have something that has neither come nor been refused. */
  const isMore = (): boolean => theirs !== undefined && !includesVector(joinVectors(document.vector(), answered), theirs)

  const check = (): void => {
    if (theirs === undefined || isClosed || receiving > 0) return
    const ours = document.vector()
    if (!includesVector(theirs, ours) || isMore()) return
    if (options.erased !== undefined && answers < answersOfErasure) return
    isOpen = false
    earlier = 0
    onSynced(ours)
  }

  connection = transport.open({
    name: options.name,
    doc: document.doc,
    ...(visit === undefined ? {} : { awareness: visit.awareness }),
    receive: async (update, origin) => {
      receiving += 1
      const report = await document.receive(update, origin).finally(() => (receiving -= 1))
      if (isClosed) return
      if (theirs !== undefined) theirs = joinVectors(theirs, report.theirs)
      // What came too early comes again.
      if (!report.hasGap) answered = joinVectors(answered, report.theirs)
      onReport(report)
      if (report.error !== undefined) return onTrouble({ state: 'error', message: report.error.message })
      if (report.sealed > 0) return onTrouble({ state: 'wrongKey', message: `${report.sealed} entries are sealed with another key than the one of this device` })
      // What they have now, with what we sent meanwhile.
      if (report.added > 0) asks = 0
      const lacksOurs = theirs !== undefined && !includesVector(theirs, document.vector())
      const bringsNothing = isOpen && Object.keys(report.theirs).length === 0 && isMore()
      if (report.hasGap || (!isReadonly && (lacksOurs || bringsNothing))) ask()
      check()
    },
    peerHas: (stateVector) => {
      const isFirst = theirs === undefined
      theirs = toVector(readStateVector(stateVector))
      if (isFirst) onSent(countMissing(document.vector(), theirs))
      answers += 1
      if (options.erased !== undefined && answers < answersOfErasure) connection?.ask()
      if (isOpen && isMore()) expectAnswer()
      check()
    },
    others: (count) => {
      // What is settled waits for nobody.
      if (count === 0 && !isClosed && isOpen) onTrouble({ state: 'offline' })
    },
    status: (status) => {
      if (isClosed || status.state === 'connecting' || status.state === 'connected') return
      if (status.state === 'readonly') isReadonly = true
      onTrouble(status)
    },
  })

  const publish = async (): Promise<number> => {
    const count = await document.publish()
    asks = 0
    if (count > 0 && theirs !== undefined && !isClosed) onSent(count)
    return count
  }

  const askNow = (): void => {
    earlier += 1
    connection?.ask()
    expectAnswer()
  }

  return {
    document,
    publish: async () => {
      const count = await publish()
      if (count > 0 && !isClosed) askNow()
      return count
    },
    recheck: async () => {
      await publish()
      if (!isClosed) askNow()
    },
    close: async () => {
      isClosed = true
      clearTimeout(nudge)
      try {
        await connection.close()
        await document.close()
      } finally {
        visit?.leave()
      }
    },
  }
}

function countMissing(ours: VersionVector, theirs: VersionVector): number {
  return Object.entries(ours).reduce((sum, [writer, next]) => sum + Math.max(0, next - (theirs[writer] ?? 0)), 0)
}
