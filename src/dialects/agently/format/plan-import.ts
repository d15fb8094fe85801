import type { Entry } from '../../../contract/entry.ts'
import type { JsonObject } from '../../../contract/json.ts'
import { writerKey } from '../../../domain/address.ts'
import { canonicalJson } from '../../../domain/canonical-json.ts'
import { clockStart } from '../../../domain/clock.ts'
import { importTreeInSteps } from '../../../domain/import-tree.ts'
import { type KnownMessages, nothingKnown } from '../../../formats/known-messages.ts'
import { lineNodes } from '../../../formats/line-nodes.ts'
import { metaEntry } from '../../../formats/meta-entry.ts'
import { type Breather, inBreaths } from '../../../pacing/breather.ts'
import { emptyMemoState, type MemoState } from '../rules/memo-state.ts'
import { commonEnd } from './common-end.ts'
import { contextEntry, isContextEntry } from './context-entry.ts'
import type { StatePlan } from './memo-state-plan.ts'
import { agentlyNames } from './message-names.ts'
import type { SessionNow } from './read-memo-session.ts'
import type { AgentlyState } from './read-memo-state.ts'

/** The session to which a file is added. */
export interface ImportTarget {
  /** The seed of the writers' ids. */
  readonly source: string
  /** Its main line; {@link nothingKnown} when it is new. */
  readonly there: KnownMessages
  /** Absent when it is new. */
  readonly now: SessionNow | undefined
  /**
   * Whether the session was created by such imports. A session of this app gets only messages, because any file can
   * have its id.
   */
  readonly isImported: boolean
  /** Milliseconds since 1970. */
  readonly at: number
}

/**
 * Adds the new content of a file to its session. The same file gives the same entries on every device. All of them are
 * older than any change in this app, so that changes that were made here stay. Of two files, the one of the longer
 * session counts.
 */
export async function planImport(
  state: AgentlyState,
  { source, there, now, isImported, at }: ImportTarget,
  breathe: Breather,
): Promise<StatePlan> {
  const { nodes, known } = await inBreaths(lineNodes(state.full ?? [], there, agentlyNames), breathe)
  const added = await inBreaths(importTreeInSteps(source, nodes, known), breathe)
  const entries = new Map([...added.map((entry) => [entry.data['mid'], entry] as const), ...known])
  const places = state.full === undefined ? there.imported : nodes.map(({ id }) => entries.get(id)!)
  // The file has no times, so that lists show the session at the time of the import.
  const arrival = added.length === 0 && now !== undefined ? [] : [metaEntry(source, {}, at, 0)]
  const said = [...contextOf(state, { source, there, now }, added, places), ...metasOf(state, source, now, places)]
  return {
    entries: [...arrival, ...added, ...(isImported ? said : [])],
    isReduced: !isImported && said.length > 0,
    bytes: new Map(nodes.map(({ id, bytes }) => [id, bytes])),
    known: nodes.filter(({ id }) => known.has(id)).length,
  }
}

/**
 * @param added - the new entries
 * @param places - the entries of the file's messages
 */
function contextOf(
  state: AgentlyState,
  { source, there, now }: Omit<ImportTarget, 'at' | 'isImported'>,
  added: readonly Entry[],
  places: readonly Entry[],
): readonly Entry[] {
  const { full, current } = state
  if (current === undefined) return []
  const hashes =
    full?.map(({ message }) => agentlyNames.hashOf(message)) ??
    places.map(({ data }) => agentlyNames.hashIn(data['mid']))
  const wanted = current.map(agentlyNames.hashOf)
  const next = [
    ...(now?.current ?? []).map(agentlyNames.hashOf),
    ...added.flatMap(({ data }) => agentlyNames.hashIn(data['mid']) ?? []),
  ]
  if (wanted.join(' ') === next.join(' ')) return []
  const kept = commonEnd(hashes, wanted, (a, b) => a === b)
  const messages = current.slice(0, current.length - kept)
  const keptFrom = places.slice(places.length - kept).reduce((first, { order }) => (order < first ? order : first), '~')
  const listed = new Set(places)
  const hidden = [
    ...there.imported.filter((entry) => !listed.has(entry)),
    ...places.slice(0, places.length - kept),
  ].filter(({ order }) => order < keptFrom)
  const earlier = there.compactions.filter(isContextEntry)
  if (hidden.length + messages.length + earlier.length === 0) return []
  const vv: Record<string, number> = {}
  for (const { w, s } of hidden) vv[writerKey(w)] = Math.max(vv[writerKey(w)] ?? 0, s + 1)
  const order = hidden.reduce((last, entry) => (entry.order > last ? entry.order : last), '')
  // The clock of a later file is later, in whatever order the files are imported.
  const last = places.at(-1)?.clock ?? clockStart
  const ticks = last.hc + 1 + ageOf(state)
  const clock = { hp: last.hp + Math.floor(ticks / clocksPerMs), hc: ticks % clocksPerMs }
  return [contextEntry({ source, branch: '', clock, order, vv, messages, summary: '' })]
}

const clocksPerMs = 2 ** 18

/** The sum of those counts that only grow while a session continues. */
const ageOf = ({ full = [], turns = 0, lastResizeTurn = 0, memoCursor = 0 }: AgentlyState): number =>
  Math.min(full.length + turns + lastResizeTurn + memoCursor, 2 ** 30)

function metasOf(
  state: AgentlyState,
  source: string,
  now: SessionNow | undefined,
  places: readonly Entry[],
): readonly Entry[] {
  const { id, memo, settings, turns, lastResizeTurn, memoCursor } = state
  const said: Partial<MemoState> = {
    ...(settings === undefined ? {} : { settings }),
    ...(turns === undefined ? {} : { turns, at: places.at(-1)?.order ?? '' }),
    ...(lastResizeTurn === undefined ? {} : { lastResizeTurn }),
    ...(memoCursor === undefined ? {} : { memoCursor: orderAt(places, memoCursor) }),
  }
  const contextState =
    Object.keys(said).length === 0
      ? {}
      : { contextState: { ...emptyMemoState, ...now?.meta.contextState, ...said } as unknown as JsonObject }
  const set: JsonObject = { ...(memo === undefined ? {} : { memo }), ...contextState }
  const known = {
    memo: now?.meta.memo,
    settings: now?.state.settings,
    turns: now?.turns,
    lastResizeTurn: now?.state.lastResizeTurn,
    memoCursor: now?.memoCursor,
  }
  const isKnown = Object.entries({ memo, settings, turns, lastResizeTurn, memoCursor }).every(
    ([field, value]) =>
      value === undefined || canonicalJson(value) === canonicalJson(known[field as keyof typeof known] ?? null),
  )
  return [
    ...(id === undefined || now?.meta.id === id ? [] : [metaEntry(source, { id, aliases: [id] }, 0, 0)]),
    ...(isKnown ? [] : [metaEntry(source, set, 0, ageOf(state))]),
  ]
}

/** The order of the last of the first `count` messages. */
export function orderAt(places: readonly { readonly order: string }[], count: number): string {
  return count === 0 ? '' : (places[Math.min(count, places.length) - 1]?.order ?? '')
}
