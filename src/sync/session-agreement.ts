import type { VersionVector } from '../contract/entry.ts'
import { createPeerProgress } from './peer-progress.ts'
import { readStateVector } from './read-state-vector.ts'
import type { ReceiveReport } from './receive-report.ts'
import type { SessionLinkOptions, SessionTrouble } from './session-link-options.ts'
import { createSessionQuestions } from './session-questions.ts'
import type { SyncDocument } from './sync-document.ts'
import { toVector } from './to-vector.ts'

/**
 * State vectors do not show deletions. These are sent once the first answer has shown what the other side lacks of
 * them; so the second answer is to a question that may have been on its way, and the third to one that was asked after
 * they were sent.
 */
const answersOfErasure = 3

export interface SessionAgreementOptions
  extends Pick<SessionLinkOptions, 'erased' | 'onReport' | 'onSent' | 'onSynced' | 'onTrouble'> {
  readonly document: SyncDocument
  /** Asks the other side what it has. */
  readonly ask: () => void
  /** Whether an update is still being processed. */
  readonly isReceiving: () => boolean
  readonly isReadonly: () => boolean
  readonly isClosed: () => boolean
}

/** Finds out whether both sides have the same of one session, and asks until they do. */
export interface SessionAgreement {
  /** Whether they have not been seen to have the same since something was published or asked. */
  isOpen(): boolean
  /** An update was processed. */
  takeReport(report: ReceiveReport): void
  /** The other side says what it has. */
  takeVector(stateVector: Uint8Array): void
  /** So many entries were put into the document. */
  published(count: number): void
  /** Asks about what was just published. */
  askAnew(): void
  close(): void
}

export function createSessionAgreement(options: SessionAgreementOptions): SessionAgreement {
  const { document, ask, isReceiving, isReadonly, isClosed, onReport, onSent, onSynced, onTrouble } = options
  const progress = createPeerProgress(document.vector, options.erased === undefined ? 1 : answersOfErasure)
  const questions = createSessionQuestions({
    send: ask,
    isReceiving,
    isOver: () => isClosed() || isReadonly(),
    onGiveUp: () => onTrouble({ state: 'error', message: cannotAgree }),
  })

  // A side that takes nothing has not taken the deletions either, whatever it answers.
  const check = (): void => {
    if (isClosed() || isReceiving() || (isReadonly() && options.erased !== undefined)) return
    const agreed = progress.agreed()
    if (agreed === undefined) return
    questions.settle()
    onSynced(agreed)
  }

  return {
    isOpen: questions.isOpen,
    takeReport: (report) => {
      progress.addSent(report.theirs, !report.hasGap)
      onReport(report)
      const trouble = troubleIn(report)
      if (trouble !== undefined) return onTrouble(trouble)
      if (report.added > 0) questions.progress()
      const bringsNothing = questions.isOpen() && Object.keys(report.theirs).length === 0 && progress.hasMore()
      if (report.hasGap || (!isReadonly() && (progress.lacksOurs() || bringsNothing))) questions.askAgain()
      check()
    },
    takeVector: (stateVector) => {
      const theirs = toVector(readStateVector(stateVector))
      if (progress.setVector(theirs)) onSent(countMissing(document.vector(), theirs))
      if (progress.mustAnswerAgain()) ask()
      if (questions.isOpen() && progress.hasMore()) questions.expectAnswer()
      check()
    },
    published: (count) => {
      questions.progress()
      if (count > 0 && progress.vector() !== undefined && !isClosed()) onSent(count)
    },
    askAnew: questions.askAnew,
    close: questions.close,
  }
}

const cannotAgree = 'the other side still lacks what it was sent, or sends what cannot be taken in'

function troubleIn({ error, sealed }: ReceiveReport): SessionTrouble | undefined {
  if (error !== undefined) return { state: 'error', message: error.message }
  if (sealed === 0) return undefined
  return { state: 'wrongKey', message: `${sealed} entries are sealed with another key than the one of this device` }
}

function countMissing(ours: VersionVector, theirs: VersionVector): number {
  return Object.entries(ours).reduce((sum, [writer, next]) => sum + Math.max(0, next - (theirs[writer] ?? 0)), 0)
}
