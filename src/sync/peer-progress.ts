import type { VersionVector } from '../contract/entry.ts'
import { includesVector, joinVectors } from '../domain/version-vector.ts'

/** How far the other side is with one session, compared with the document here. */
export interface PeerProgress {
  /** What the other side has; `undefined` before it has said so. */
  vector(): VersionVector | undefined
  /** The other side says what it has. @returns whether it says so for the first time */
  setVector(vector: VersionVector): boolean
  /** The other side sent what this vector counts. @param isWhole - all of it is here now, or was refused */
  addSent(vector: VersionVector, isWhole: boolean): void
  /** What both sides have, once the other side has answered often enough and neither lacks anything. */
  agreed(): VersionVector | undefined
  /** Whether it has to say once more what it has, whatever it says. */
  mustAnswerAgain(): boolean
  /** Whether it has something that has neither arrived nor been refused here. */
  hasMore(): boolean
  /** Whether it is known to lack something of ours. */
  lacksOurs(): boolean
}

/** @param answersNeeded - how often the other side has to say what it has before that counts */
export function createPeerProgress(ours: () => VersionVector, answersNeeded: number): PeerProgress {
  let theirs: VersionVector | undefined
  /** How far the content that came was looked through: all of it is here, or was refused. */
  let examined: VersionVector = {}
  let answers = 0
  const hasMore = (): boolean => theirs !== undefined && !includesVector(joinVectors(ours(), examined), theirs)
  const mustAnswerAgain = (): boolean => answers < answersNeeded
  return {
    vector: () => theirs,
    setVector: (vector) => {
      const isFirst = theirs === undefined
      theirs = vector
      answers += 1
      return isFirst
    },
    addSent: (vector, isWhole) => {
      if (theirs !== undefined) theirs = joinVectors(theirs, vector)
      // What came too early will come again.
      if (isWhole) examined = joinVectors(examined, vector)
    },
    agreed: () => {
      const vector = ours()
      if (theirs === undefined || !includesVector(theirs, vector) || hasMore() || mustAnswerAgain()) return undefined
      return vector
    },
    mustAnswerAgain,
    hasMore,
    lacksOurs: () => theirs !== undefined && !includesVector(theirs, ours()),
  }
}
