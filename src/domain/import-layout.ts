import type { Clock, Entry, Fork, TurnRef, VersionVector } from '../contract/entry.ts'
import type { JsonObject } from '../contract/json.ts'
import { entryId, writerKey } from './address.ts'
import { laterClock, tick } from './clock.ts'
import { isControl } from './control.ts'
import type { ImportNode } from './import-node.ts'
import { importsEnd } from './imported-mid.ts'
import { orderOf } from './order.ts'
import type { PlacedLink } from './parents-first.ts'
import type { OpenEntry } from './seal.ts'
import { turnOf } from './tail.ts'
import { opensTurn } from './writer.ts'

/** Nodes that one step of an import handles. */
export const stepNodes = 16

/** The clock before the first entry, which gets 1 ms and 0 ticks: older than everything that was ever written here. */
const clockBefore: Clock = { hp: 0, hc: 2 ** 18 - 1 }

/** The place of a node. */
interface Place {
  readonly w: number
  readonly branch: string
  readonly order: string
  readonly clock: Clock
  /** The turn that the next entry of its branch may continue; compactions end it. */
  readonly turn?: TurnRef
  readonly run?: Clock
}

interface Layout {
  readonly w: number
  readonly entries: (OpenEntry & { data: JsonObject })[]
  readonly places: Map<string, Place>
  /** The last node of each branch. */
  readonly tips: Map<string, string>
  readonly parents: Map<string, string>
  readonly seen: Record<string, number>
  clock: Clock
  /** Whether an entry has a parent that is not in the file. */
  hasOutside: boolean
}

/** Gives each new node its place: yields after every few of them, so that other work can run in between. */
export function* layOut(
  w: number,
  links: readonly PlacedLink<ImportNode>[],
  leaf: string | undefined,
  known: ReadonlyMap<string, Entry>,
): Generator<void, readonly OpenEntry[], undefined> {
  const layout: Layout = {
    w,
    entries: [],
    places: new Map(),
    tips: new Map(),
    parents: new Map(),
    seen: {},
    clock: clockBefore,
    hasOutside: false,
  }
  for (const [i, { node, parent }] of links.entries()) {
    if (i % stepNodes === 0) yield
    if (parent !== undefined) layout.parents.set(node.id, parent.id)
    const existing = known.get(node.mid ?? node.id)
    if (existing === undefined) add(layout, node, parent, known)
    else skip(layout, node, existing)
  }
  if (leaf !== undefined && layout.places.get(leaf)?.w === w) showLeaf(layout, leaf)
  return layout.entries
}

/** A node that exists already. Later nodes of the file come after it, and after a `head` entry right behind it. */
function skip(layout: Layout, node: ImportNode, entry: Entry): void {
  layout.clock = laterClock(layout.clock, tick(entry.clock, 0))
  const { w, s, branch, order, clock, run } = entry
  layout.seen[writerKey(w)] = Math.max(layout.seen[writerKey(w)] ?? 0, s + 1)
  layout.places.set(node.id, {
    w,
    branch,
    order,
    clock,
    ...(isControl(entry.type) ? {} : { turn: turnOf(entry) }),
    ...(run === undefined ? {} : { run }),
  })
  const tip = layout.places.get(layout.tips.get(branch) ?? '')
  // Of several nodes that are one entry, the last one is the tip.
  if (tip === undefined || tip.order <= order) layout.tips.set(branch, node.id)
}

function add(
  layout: Layout,
  node: ImportNode,
  parent: ImportNode | undefined,
  known: ReadonlyMap<string, Entry>,
): void {
  const { w, places, tips } = layout
  const outside = node.parentId === null ? undefined : known.get(node.parentId)
  const above: Place | undefined = parent === undefined ? outside : places.get(parent.id)
  if (outside !== undefined) {
    layout.clock = laterClock(layout.clock, outside.clock)
    layout.hasOutside = true
  }
  const isFirstRoot = above === undefined && node.parentId === null && !tips.has('')
  const continuesParent = above !== undefined && (tips.get(above.branch) ?? parent?.id) === parent?.id
  let branch = above?.branch ?? ''
  if (!isFirstRoot && !continuesParent) {
    branch = openBranch(
      layout,
      {
        branch,
        order: above?.order ?? '',
        cuts: above?.order ?? '',
        ...(node.parentId === null ? {} : { id: node.parentId }),
      },
      node.at,
    )
  }
  const type = node.type !== 'compaction' && isControl(node.type) ? `foreign-${node.type}` : node.type
  const data = { ...node.data, mid: node.mid ?? node.id }
  const base = { branch, type, data, at: node.at }
  if (type === 'compaction') return place(layout, node, { ...base, data: compactionData(layout, node, data) }, {})
  const turn = continuesParent && !opensTurn(type, data) ? above.turn : undefined
  if (turn === undefined) return place(layout, node, base, {})
  // Another writer's turn is continued in a run of its own.
  place(layout, node, base, {
    turn,
    ...(above?.w !== w ? { run: nextClock(layout) } : above.run === undefined ? {} : { run: above.run }),
  })
}

function place(
  layout: Layout,
  node: ImportNode,
  base: Pick<OpenEntry, 'branch' | 'type' | 'data' | 'at'>,
  turn: Pick<OpenEntry, 'turn' | 'run'>,
): void {
  const entry = write(layout, { ...base, ...turn })
  const { w, branch, clock } = entry
  const next = isControl(entry.type) ? {} : { turn: turnOf(entry), ...turn }
  layout.places.set(node.id, { w, branch, clock, order: orderOf(entry), ...next })
  layout.tips.set(branch, node.id)
}

function nextClock(layout: Layout): Clock {
  return tick(layout.clock, 0)
}

function write(layout: Layout, entry: Omit<OpenEntry, 'w' | 's' | 'clock'>): OpenEntry {
  const clock = nextClock(layout)
  const written = { ...entry, w: layout.w, s: layout.entries.length, clock }
  layout.entries.push(written)
  layout.clock = clock
  return written
}

/**
 * Opens a branch with exactly the entries of the file: those that other devices imported from the same file do not
 * belong to it, even before the fork. When the file continues from entries that were written here, it is no longer
 * known which those are.
 */
function openBranch(layout: Layout, place: Fork, at: number, head = false): string {
  const fork = layout.clock.hp < importsEnd && !layout.hasOutside ? { ...place, vv: seenBy(layout) } : place
  const { w, s } = write(layout, {
    branch: fork.branch,
    type: 'branch',
    data: { fork: fork as unknown as JsonObject, head },
    at,
  })
  return entryId(w, s)
}

function compactionData(layout: Layout, node: ImportNode, data: JsonObject): JsonObject {
  const { w, parents, places } = layout
  let kept = node.firstKept === undefined || !places.has(node.firstKept) ? undefined : parents.get(node.id)
  while (kept !== undefined && kept !== node.firstKept) kept = parents.get(kept)
  const before = kept === undefined ? undefined : places.get(parents.get(kept) ?? '')
  const order = kept === undefined ? orderOf({ w, clock: nextClock(layout) }) : (before?.order ?? '')
  const summary = typeof data['summary'] === 'string' ? data['summary'] : ''
  return { ...data, summary, order, vv: seenBy(layout) }
}

/** The entries that existed before, as far as the file has them, and those added so far. */
function seenBy({ w, seen, entries }: Layout): VersionVector {
  return { ...seen, [writerKey(w)]: entries.length }
}

/** Makes the line that ends in this node the head. */
function showLeaf(layout: Layout, leaf: string): void {
  const { w, entries, places, tips } = layout
  const { branch, order } = places.get(leaf)!
  const { at } = entries.at(-1)!
  if (tips.get(branch) !== leaf) {
    openBranch(layout, { branch, order, cuts: order, id: leaf }, at, true)
    return
  }
  const opener = entries.find((entry) => entry.type === 'branch' && entryId(w, entry.s) === branch)
  if (opener !== undefined) opener.data = { ...opener.data, head: true }
  else if (Object.keys(layout.seen).length > 0) write(layout, { branch, type: 'head', data: { branch }, at })
}
