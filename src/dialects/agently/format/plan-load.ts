import type { Clock, Entry, VersionVector } from '../../../contract/entry.ts'
import type { JsonObject, JsonValue } from '../../../contract/json.ts'
import type { SessionStore } from '../../../contract/store/session-store.ts'
import { writerKey } from '../../../domain/address.ts'
import { canonicalJson } from '../../../domain/canonical-json.ts'
import { clockStart, laterClock, tick } from '../../../domain/clock.ts'
import { hash53 } from '../../../domain/hash53.ts'
import { importTreeInSteps } from '../../../domain/import-tree.ts'
import { orderEnd } from '../../../domain/order.ts'
import { sealEntry } from '../../../domain/seal.ts'
import { turnOf } from '../../../domain/tail.ts'
import { nothingKnown } from '../../../formats/known-messages.ts'
import { lineNodes } from '../../../formats/line-nodes.ts'
import { type Breather, inBreaths } from '../../../pacing/breather.ts'
import { emptyMemoState } from '../rules/memo-state.ts'
import { commonEnd } from './common-end.ts'
import { contextEntry } from './context-entry.ts'
import type { StatePlan } from './memo-state-plan.ts'
import { agentlyNames, messageOf } from './message-names.ts'
import { orderAt } from './plan-import.ts'
import type { SessionNow } from './read-memo-session.ts'
import type { AgentlyState } from './read-memo-state.ts'

/** The session that gets the state of a file. */
export interface LoadTarget {
  /** The seed of the writers' ids. */
  readonly source: string
  /** Absent when it is new. */
  readonly now: SessionNow | undefined
  readonly log: KnownLog
  /** Milliseconds since 1970. */
  readonly at: number
}

/** The facts about a log that later entries depend on. */
export interface KnownLog {
  readonly vv: VersionVector
  /** The latest clock. */
  readonly clock: Clock
  /** The last message of the head line, if it is on the head branch itself. */
  readonly last: Entry | undefined
}

export async function readLog(
  store: Pick<SessionStore, 'changes'>,
  key: string,
  now: SessionNow | undefined,
  breathe: Breather,
): Promise<KnownLog> {
  const place = now?.full.at(-1)
  let clock = clockStart
  let last: Entry | undefined
  for (let cursor: string | undefined, isFirst = true; isFirst || cursor !== undefined; isFirst = false) {
    const page = await store.changes(key, {}, cursor)
    for (const entry of page.entries) {
      clock = laterClock(clock, entry.clock)
      if (entry.branch === now?.meta.head && entry.order === place?.order && entry.type === 'message') last = entry
    }
    cursor = page.next
    if (cursor === undefined) return { vv: page.vv, clock, last }
    await breathe()
  }
  return { vv: {}, clock, last }
}

/**
 * Gives a session the state of a file, as Agently's `load` does: fields that the file lacks stay as they are. Nothing
 * is removed from the log: if the file continues the full history, its new messages are appended; otherwise all of its
 * messages are appended, and then the old ones are cut.
 */
export async function planLoad(
  state: AgentlyState,
  { source, now, log, at }: LoadTarget,
  breathe: Breather,
): Promise<StatePlan> {
  const branch = now?.meta.head ?? ''
  const old = now?.full ?? []
  const full = state.full ?? old.map((view) => ({ message: messageOf(view), line: 0, at: 0, bytes: 0 }))
  const hasGrown = old.every(
    (view, i) => full[i] !== undefined && agentlyNames.hashOf(messageOf(view)) === agentlyNames.hashOf(full[i].message),
  )
  const all = await inBreaths(lineNodes(full, nothingKnown, agentlyNames), breathe)
  const fresh = all.nodes.slice(hasGrown ? old.length : 0)

  const tip = tipOf(log, branch, hasGrown)
  const shownAt = old.at(-1)?.at ?? 0
  const nodes = fresh.map((node, i) => ({
    ...node,
    at: shownAt,
    ...(i > 0 ? {} : { parentId: tip === undefined ? null : tipId }),
  }))
  const tree =
    tip === undefined || nodes.length === 0
      ? nodes
      : [{ id: tipId, parentId: null, type: 'message', data: {}, at: 0 }, ...nodes]
  const added = await inBreaths(
    importTreeInSteps(source, tree, tip === undefined ? new Map() : new Map([[tipId, tip]])),
    breathe,
  )
  const messages = added.filter(({ type }) => type === 'message')
  const places = [...(hasGrown ? old : []), ...messages]

  let clock = laterClock(log.clock, added.at(-1)?.clock ?? clockStart)
  const later = (): Clock => (clock = tick(clock, 0))
  const controls: Entry[] = []
  if (!hasGrown) controls.push(controlEntry(source, 'cut', branch, { order: orderEnd, vv: log.vv }, later(), at))

  const before = now?.current ?? []
  const wanted = (state.current ?? before).map(agentlyNames.hashOf)
  const next = [
    ...(now?.hidden.messages ?? []),
    ...(hasGrown ? (now?.shown ?? []).map(messageOf) : []),
    ...fresh.map(({ data }) => data['message']),
  ]
  if (next.map((message) => agentlyNames.hashOf(message as JsonObject)).join(' ') !== wanted.join(' ')) {
    const kept = commonEnd(full, wanted, ({ message }, hash) => agentlyNames.hashOf(message) === hash)
    const vv = { ...log.vv, ...(added[0] === undefined ? {} : { [writerKey(added[0].w)]: added.length }) }
    const front = (state.current ?? before).slice(0, wanted.length - kept)
    controls.push(
      contextEntry({
        source,
        branch,
        clock: later(),
        order: orderAt(places, places.length - kept),
        vv,
        messages: front,
        summary: hasGrown ? (now?.hidden.summary ?? '') : '',
      }),
    )
  }

  const set = changedMeta(state, now, places, hasGrown ? fresh.length > 0 : true, !hasGrown)
  if (Object.keys(set).length > 0) controls.push(controlEntry(source, 'meta', '', { set }, later(), at))
  return {
    entries: [...added, ...controls],
    bytes: new Map(fresh.map(({ id, bytes }) => [id, bytes])),
    known: full.length - fresh.length,
  }
}

const tipId = 'tip'

/**
 * The entry that new messages follow. They continue its turn, if it stays, and are later than all existing entries.
 * `undefined` when the log is empty.
 */
function tipOf({ clock, last }: KnownLog, branch: string, staysThere: boolean): Entry | undefined {
  if (clock === clockStart) return undefined
  if (last !== undefined && staysThere) return { ...last, turn: turnOf(last), clock }
  return sealEntry({ w: 0, s: 0, branch, type: 'head', data: { branch }, at: 0, clock })
}

/**
 * The fields of the metadata that change. Positions and counts that the file lacks keep their values, even in a new
 * history.
 */
function changedMeta(
  state: AgentlyState,
  now: SessionNow | undefined,
  places: readonly { readonly order: string }[],
  isOther: boolean,
  isReplaced: boolean,
): JsonObject {
  const was = { ...emptyMemoState, ...now?.state }
  const {
    settings = was.settings,
    turns = now?.turns ?? 0,
    lastResizeTurn = was.lastResizeTurn,
    memoCursor = now?.memoCursor ?? 0,
  } = state
  const moves = isOther || turns !== (now?.turns ?? 0)
  const next = {
    settings,
    lastResizeTurn,
    ...(moves ? { turns, at: places.at(-1)?.order ?? '' } : { turns: was.turns, at: was.at }),
    memoCursor: isReplaced || memoCursor !== (now?.memoCursor ?? 0) ? orderAt(places, memoCursor) : was.memoCursor,
  }
  const fields: Readonly<Record<string, readonly [JsonValue | undefined, JsonValue]>> = {
    id: [state.id, now?.meta.id ?? ''],
    memo: [state.memo, now?.meta.memo ?? {}],
    contextState: [
      canonicalJson(next) === canonicalJson({ ...was }) ? undefined : { ...now?.meta.contextState, ...next },
      {},
    ],
  }
  return Object.fromEntries(
    Object.entries(fields).flatMap(([field, [given, is]]) =>
      given === undefined || canonicalJson(given) === canonicalJson(is) ? [] : [[field, given]],
    ),
  )
}

function controlEntry(
  source: string,
  type: 'cut' | 'meta',
  branch: string,
  data: JsonObject,
  clock: Clock,
  at: number,
): Entry {
  const w = hash53(`${source} ${type} ${at} ${canonicalJson({ data, clock: { ...clock } })}`)
  return sealEntry({ w, s: 0, branch, type, data, at, clock })
}
