import type { Entry, Fork, VersionVector } from '../contract/entry.ts'
import type { ColdRow, CompactionRow, CutRow } from '../contract/rows.ts'
import { orderEnd, turnKey } from './order.ts'
import { covers, inRanges } from './version-vector.ts'

/**
 * A stretch of one branch that belongs to a line: entries with `after < order ≤ upTo` that every vector in `seen`
 * covers.
 */
export interface Segment {
  readonly branch: string
  readonly after: string
  readonly upTo: string
  /** The vectors of restored checkpoints further up the line. */
  readonly seen: readonly VersionVector[]
  /** Cuts up to this clock apply to it. */
  readonly bound: string
  /**
   * The line has everything up to this order, so that it has what a compaction up to here summarises. The clock of a
   * compaction is an upper limit as well, because it is later than everything that the compaction had seen. A fork with
   * a vector sets no limit here: where the vector covers a compaction, it covers all of what that had seen.
   */
  readonly whole: string
}

/** A line: main and the branches down to one, as ascending disjoint segments, and what hides parts of it. */
export interface Line {
  readonly branch: string
  readonly segments: readonly Segment[]
  /** The segment of each branch. */
  readonly positions: ReadonlyMap<string, number>
  /** Cuts that apply, each with the last segment it covers. */
  readonly cuts: readonly { readonly cut: CutRow; readonly covers: number }[]
  /** The compaction with the latest clock among those that apply. */
  readonly compaction?: { readonly cut: CompactionRow; readonly covers: number }
  readonly purged: ColdRow['purged']
}

/** The fields of an entry that decide whether it is seen. */
export type Placed = Pick<Entry, 'w' | 's' | 'branch' | 'order' | 'turn'>

type Tree = Pick<ColdRow, 'branches'>

/**
 * The branches of a line, main first; `undefined` when it can't be resolved: an opener is missing, or the orders of the
 * openers do not strictly decrease (which ends cycles too).
 */
export function resolveChain(tree: Tree, branch: string): readonly string[] | undefined {
  const chain: string[] = []
  let below = orderEnd
  for (let at = branch; at !== ''; ) {
    // A caller may pass any name, even `constructor`.
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

/**
 * The head: the branch that was made head last among those whose line resolves and that are not deleted; otherwise
 * main.
 */
export function resolveHead(cold: Pick<ColdRow, 'branches' | 'heads' | 'targets'>): string {
  const unresolved = new Set<string>()
  for (;;) {
    let head = ''
    let clock = ''
    for (const [branch, at] of Object.entries(cold.heads)) {
      if (at <= clock || unresolved.has(branch) || isBranchDeleted(cold, branch)) continue
      head = branch
      clock = at
    }
    // Only that of the latest is looked at: the chains of thousands of branches that fork from each other are long.
    if (resolveChain(cold, head) !== undefined) return head
    unresolved.add(head)
  }
}

/** The line that ends in a branch, or `undefined` when it can't be resolved. */
export function lineOf(cold: ColdRow, branch: string): Line | undefined {
  const chain = resolveChain(cold, branch)
  if (chain === undefined) return undefined
  return buildLine(cold, chain, forksOf(cold, chain))
}

/**
 * The line of a branch that would fork here: what was seen at an entry (`cuts` = its order) or by a checkpoint (its
 * vector, `cuts` = its clock). It ends at the fork point.
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

/** The limits that the forks further down a line set for a segment. */
type Gate = Omit<Segment, 'branch' | 'after'>

/** @param forks - the fork that leaves each branch of the chain; the last branch may have none */
function buildLine(cold: ColdRow, chain: readonly string[], forks: readonly OpenedFork[]): Line {
  const gates = gatesOf(chain.length, forks)
  const segments = chain.map(
    (branch, i): Segment => ({ branch, after: i === 0 ? '' : forks[i - 1]!.opener, ...gates[i]! }),
  )
  const positions = new Map(chain.map((branch, i) => [branch, i]))
  const line = { segments, positions }
  const cuts = cold.cuts.map((cut) => ({ cut, covers: lastCovered(line, cut) })).filter((cut) => cut.covers >= 0)
  let compaction: Line['compaction']
  for (const cut of cold.compactions) {
    const isLater = compaction === undefined || cut.clock > compaction.cut.clock
    if (isLater && mayBeActive(line, cut) && !isCleared({ cuts }, cut))
      compaction = { cut, covers: lastCovered(line, cut) }
  }
  return {
    branch: chain.at(-1)!,
    segments,
    positions,
    cuts,
    purged: cold.purged,
    ...(compaction === undefined ? {} : { compaction }),
  }
}

/** The last segment of a line that a cut covers; −1 where it does not apply. */
function lastCovered({ segments, positions }: Pick<Line, 'segments' | 'positions'>, cut: CutRow): number {
  const at = positions.get(cut.branch) ?? -1
  const gate = segments[at]
  return gate !== undefined && cut.clock <= gate.bound && gate.seen.every((vv) => covers(vv, cut.w, cut.s)) ? at : -1
}

/** Whether a line has all that a compaction summarises, and is not older, so that only a later one may replace it. */
export function mayBeActive(line: Pick<Line, 'segments' | 'positions'>, cut: CompactionRow): boolean {
  const segment = line.segments[lastCovered(line, cut)]
  return segment !== undefined && earlier(cut.order, cut.clock) <= segment.whole
}

/**
 * Whether a line was cleared by somebody whom a compaction did not know of. What it tells is cleared too, whichever of
 * both was later, and so it hides nothing.
 */
export function isCleared({ cuts }: Pick<Line, 'cuts'>, { vv }: CompactionRow): boolean {
  return cuts.some(({ cut }) => cut.clears && !covers(vv, cut.w, cut.s))
}

function gatesOf(segments: number, forks: readonly OpenedFork[]): readonly Gate[] {
  const gates: Gate[] = []
  let gate: Gate = { bound: orderEnd, seen: [], upTo: orderEnd, whole: orderEnd }
  for (let i = segments - 1; i >= 0; i--) {
    const left = forks[i]
    if (left !== undefined) {
      const { order, vv, cuts = left.opener } = left.fork
      gate = {
        bound: earlier(cuts, gate.bound),
        seen: vv === undefined ? gate.seen : [vv, ...gate.seen],
        // A fork point after its own opener would make segments overlap. It may lie before the parent's first entry.
        upTo: earlier(earlier(order, left.opener), gate.upTo),
        whole: vv === undefined ? earlier(order, gate.whole) : gate.whole,
      }
    }
    gates[i] = gate
  }
  return gates
}

function earlier(a: string, b: string): string {
  return a < b ? a : b
}

/** The segment of an entry, or −1. Purged entries belong to none. */
export function segmentOf(line: Line, entry: Placed): number {
  const at = line.positions.get(entry.branch)
  if (at === undefined) return -1
  const segment = line.segments[at]!
  const isInside = segment.after < entry.order && entry.order <= segment.upTo
  return isInside &&
    segment.seen.every((vv) => covers(vv, entry.w, entry.s)) &&
    !inRanges(line.purged, entry.w, entry.s)
    ? at
    : -1
}

/**
 * Whether a cut hides an entry of a segment. A cut hides whole turns that it had seen (a later result goes with its
 * call). A compaction goes by entry, so that an answer that nobody summarised re-appears rather than vanishes.
 */
function hides(cut: CutRow, wholeTurns: boolean, entry: Placed): boolean {
  if (entry.order > cut.order) return false
  if (covers(cut.vv, entry.w, entry.s)) return true
  return wholeTurns && entry.turn !== undefined && covers(cut.vv, entry.turn.w, entry.turn.s)
}

/** Whether a cut of the line hides an entry of this segment. */
export function isCut(line: Line, segment: number, entry: Placed): boolean {
  return line.cuts.some(({ cut, covers: last }) => segment <= last && hides(cut, true, entry))
}

/**
 * Whether a cut of the line hides an entry and had seen all of its copies. A cut does not apply to copies that it had
 * not seen.
 */
export function isCutKnowingly(line: Line, entry: Placed, copies: readonly Placed[]): boolean {
  return cutsOf(line, entry).some((cut) => hasSeen(cut, copies))
}

/** Whether a cut that had not seen all of an entry's copies hides the entry together with its turn. */
export function isCutAway(line: Line, entry: Placed, copies: readonly Placed[]): boolean {
  return cutsOf(line, entry).some((cut) => !hasSeen(cut, copies) && turnKey(cut.order) !== turnKey(entry.order))
}

function cutsOf(line: Line, entry: Placed): readonly CutRow[] {
  const segment = segmentOf(line, entry)
  return line.cuts.flatMap(({ cut, covers: last }) => (segment <= last && hides(cut, true, entry) ? [cut] : []))
}

const hasSeen = (cut: CutRow, copies: readonly Placed[]): boolean => copies.every(({ w, s }) => covers(cut.vv, w, s))

/** Whether the active compaction hides an entry from a model. */
export function isCompacted(line: Line, segment: number, entry: Placed): boolean {
  return line.compaction !== undefined && segment <= line.compaction.covers && hides(line.compaction.cut, false, entry)
}
