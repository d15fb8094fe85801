import type { Entry, Fork, VersionVector } from '../contract/entry.ts'
import type { ColdRow, CompactionRow, CutRow } from '../contract/rows.ts'
import { orderEnd, turnKey } from './order.ts'
import { covers, inRanges } from './version-vector.ts'

/** A stretch of one branch that belongs to a line: entries with `after < order ≤ upTo` that every vector in `seen` covers. */
export interface Segment {
  readonly branch: string
  readonly after: string
  readonly upTo: string
  /** What restored checkpoints further up the line had seen. */
  readonly seen: readonly VersionVector[]
}

/** A line: main and the branches down to one, as ascending disjoint segments, and what hides parts of it. */
export interface Line {
  readonly branch: string
  readonly segments: readonly Segment[]
  /** Which segment is on a branch. */
  readonly positions: ReadonlyMap<string, number>
  /** Cuts that apply, each with the last segment it covers. */
  readonly cuts: readonly { readonly cut: CutRow; readonly covers: number }[]
  /** The compaction with the latest clock among those that apply. */
  readonly compaction?: { readonly cut: CompactionRow; readonly covers: number }
  readonly purged: ColdRow['purged']
}

/** The parts of an entry that decide whether it is seen. */
export type Placed = Pick<Entry, 'w' | 's' | 'branch' | 'order' | 'turn'>

type Tree = Pick<ColdRow, 'branches'>

/**
 * The branches of a line, main first, or `undefined` when it can't be resolved: an opener is missing, or the openers' orders do not
 * strictly fall (which ends cycles too).
 */
export function resolveChain(tree: Tree, branch: string): readonly string[] | undefined {
  const chain: string[] = []
  let below = orderEnd
  for (let at = branch; at !== ''; ) {
    // A caller may name anything, `constructor` too.
    const row = Object.hasOwn(tree.branches, at) ? tree.branches[at] : undefined
    if (row === undefined || row.order >= below) return undefined
    chain.push(at)
    below = row.order
    at = row.fork.branch
  }
  chain.push('')
  return chain.reverse()
}

/** Whether a branch was deleted by name. */
export function isBranchDeleted(cold: Pick<ColdRow, 'targets'>, branch: string): boolean {
  return cold.targets[`branch:${branch}`]?.['deleted']?.[1] === true
}

/** The head: of all branches ever made head, the latest whose line resolves and that is not deleted; else main. */
export function resolveHead(cold: Pick<ColdRow, 'branches' | 'heads' | 'targets'>): string {
  let head = ''
  let clock = ''
  for (const [branch, at] of Object.entries(cold.heads)) {
    if (at > clock && !isBranchDeleted(cold, branch) && resolveChain(cold, branch) !== undefined) {
      head = branch
      clock = at
    }
  }
  return head
}

/** The line that ends in a branch, or `undefined` when it can't be resolved. */
export function lineOf(cold: ColdRow, branch: string): Line | undefined {
  const chain = resolveChain(cold, branch)
  if (chain === undefined) return undefined
  return buildLine(cold, chain, forksOf(cold, chain))
}

/**
 * The line as it would be on a branch that leaves here: what was seen at an entry (`cuts` = its order) or by a checkpoint (its vector,
 * `cuts` = its clock). Ends at the fork point.
 */
export function lineAt(cold: ColdRow, fork: Fork & { readonly cuts: string }): Line | undefined {
  const chain = resolveChain(cold, fork.branch)
  if (chain === undefined) return undefined
  return buildLine(cold, chain, [...forksOf(cold, chain), { fork, opener: orderEnd }])
}

/** A fork with the order of the entry that opened its branch. */
interface OpenedFork {
  readonly fork: Fork
  readonly opener: string
}

function forksOf(cold: ColdRow, chain: readonly string[]): readonly OpenedFork[] {
  return chain.slice(1).map((branch) => ({ fork: cold.branches[branch]!.fork, opener: cold.branches[branch]!.order }))
}

/** What the forks after a segment let through. */
interface Gate {
  /** Cuts up to this clock. */
  readonly bound: string
  /** Entries that all of these had seen. */
  readonly seen: readonly VersionVector[]
}

/** @param forks - the one that leaves each branch of the chain; the last branch may have none */
function buildLine(cold: ColdRow, chain: readonly string[], forks: readonly OpenedFork[]): Line {
  const gates = gatesOf(chain.length, forks)
  const segments = chain.map((branch, i): Segment => {
    const left = forks[i]
    return {
      branch,
      after: i === 0 ? '' : forks[i - 1]!.opener,
      // A fork point after its own opener would make segments overlap.
      upTo: left === undefined ? orderEnd : earlier(left.fork.order, left.opener),
      seen: gates[i]!.seen,
    }
  })
  const positions = new Map(chain.map((branch, i) => [branch, i]))
  const applies = (cut: CutRow): number => {
    const at = positions.get(cut.branch) ?? -1
    const gate = gates[at]
    return gate !== undefined && cut.clock <= gate.bound && gate.seen.every((vv) => covers(vv, cut.w, cut.s)) ? at : -1
  }
  const cuts = cold.cuts.map((cut) => ({ cut, covers: applies(cut) })).filter((cut) => cut.covers >= 0)
  let compaction: Line['compaction']
  for (const cut of cold.compactions) {
    const at = applies(cut)
    if (at >= 0 && isTold(cut, forks[at]?.fork) && (compaction === undefined || cut.clock > compaction.cut.clock)) compaction = { cut, covers: at }
  }
  return { branch: chain.at(-1)!, segments, positions, cuts, purged: cold.purged, ...(compaction === undefined ? {} : { compaction }) }
}

/**
 * Whether all that a compaction tells of is on a line that leaves its branch there. Its clock is an end too, being later than all it had seen; who
 * has a vector has seen the compaction, so it leaves behind all of that.
 */
function isTold({ order, clock }: CutRow, left: Fork | undefined): boolean {
  return left === undefined || left.vv !== undefined || earlier(order, clock) <= left.order
}

function gatesOf(segments: number, forks: readonly OpenedFork[]): readonly Gate[] {
  const gates: Gate[] = []
  let gate: Gate = { bound: orderEnd, seen: [] }
  for (let i = segments - 1; i >= 0; i--) {
    const left = forks[i]
    if (left !== undefined) {
      const { vv, cuts = left.opener } = left.fork
      gate = { bound: earlier(cuts, gate.bound), seen: vv === undefined ? gate.seen : [vv, ...gate.seen] }
    }
    gates[i] = gate
  }
  return gates
}

function earlier(a: string, b: string): string {
  return a < b ? a : b
}

/** Which segment of the line an entry stands in, or −1. Purged entries stand nowhere. */
export function segmentOf(line: Line, entry: Placed): number {
  const at = line.positions.get(entry.branch)
  if (at === undefined) return -1
  const segment = line.segments[at]!
  const isInside = segment.after < entry.order && entry.order <= segment.upTo
  return isInside && segment.seen.every((vv) => covers(vv, entry.w, entry.s)) && !inRanges(line.purged, entry.w, entry.s) ? at : -1
}

/**
 * Whether a cut hides an entry of a segment. A cut hides whole turns it had seen (a result that comes later goes with its call); a
 * compaction goes by entry, so that an answer nobody summarised re-appears rather than vanishes.
 */
function hides(cut: CutRow, wholeTurns: boolean, entry: Placed): boolean {
  if (entry.order > cut.order) return false
  if (covers(cut.vv, entry.w, entry.s)) return true
  return wholeTurns && entry.turn !== undefined && covers(cut.vv, entry.turn.w, entry.turn.s)
}

/** Whether a cut of the line hides an entry that stands in this segment. */
export function isCut(line: Line, segment: number, entry: Placed): boolean {
  return line.cuts.some(({ cut, covers: last }) => segment <= last && hides(cut, true, entry))
}

/** Whether a cut of the line hides an entry, and had seen all of its copies: of others, who made it knew nothing. */
export function isCutKnowingly(line: Line, entry: Placed, copies: readonly Placed[]): boolean {
  return cutsOf(line, entry).some((cut) => hasSeen(cut, copies))
}

/** Whether a cut that had not seen all of its copies hides an entry, and its turn with it. */
export function isCutAway(line: Line, entry: Placed, copies: readonly Placed[]): boolean {
  return cutsOf(line, entry).some((cut) => !hasSeen(cut, copies) && turnKey(cut.order) !== turnKey(entry.order))
}

function cutsOf(line: Line, entry: Placed): readonly CutRow[] {
  const segment = segmentOf(line, entry)
  return line.cuts.flatMap(({ cut, covers: last }) => (segment <= last && hides(cut, true, entry) ? [cut] : []))
}

const hasSeen = (cut: CutRow, copies: readonly Placed[]): boolean => copies.every(({ w, s }) => covers(cut.vv, w, s))

/** Whether the active compaction hides it from a model. */
export function isCompacted(line: Line, segment: number, entry: Placed): boolean {
  return line.compaction !== undefined && segment <= line.compaction.covers && hides(line.compaction.cut, false, entry)
}
