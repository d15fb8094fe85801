import { controlLane } from '../contract/backend.ts'
import type { MetaTarget } from '../contract/entry.ts'
import type { SessionRows, StoredEntry } from '../contract/rows.ts'
import { entryId } from '../domain/address.ts'
import { isBranchDeleted, resolveChain } from '../domain/line.ts'
import type { PendingChange } from './pending-changes.ts'
import { readRows } from './read-rows.ts'
import type { SearchSource } from './search-source.ts'
import type { SessionState } from './session-state.ts'

/** What new control entries change in the messages that a session shows. */
export interface ControlEffects {
  /** The rows that must be read again. */
  readonly rows: PendingChange['rows']
  /** Order of the last control entry. */
  readonly last: string
}

/**
 * Reads the control entries that are new since `state`. @returns `undefined` when the whole session must be read to
 * find out what they change
 */
export async function readControls(
  source: Pick<SearchSource, 'readRange'>,
  { hot, cold }: SessionRows,
  state: SessionState,
  change: PendingChange,
): Promise<ControlEffects | undefined> {
  const rows = new Map([...change.rows].map(([branch, orders]) => [branch, new Set(orders)]))
  let count = state.entries + [...rows.values()].reduce((sum, { size }) => sum + size, 0)
  let last = state.lastControl
  const opened = new Set<string>()
  const mayShowMore = cold.cuts.length > 0 || Object.keys(cold.branches).some((branch) => isBranchDeleted(cold, branch))
  for await (const page of readRows(source, hot.session, controlLane, state.lastControl)) {
    for (const entry of page) {
      if (entry.order <= state.lastControl) continue
      count++
      last = entry.order
      if (entry.type === 'edit') {
        const { branch, order } = entry.data as { readonly branch: string; readonly order: string }
        rows.set(branch, (rows.get(branch) ?? new Set()).add(order))
      } else if (entry.type === 'branch') {
        if (mayShowMore) return undefined
        opened.add(entryId(entry.w, entry.s))
      } else if (!isHarmless(entry)) return undefined
    }
  }
  // The rows of a branch may arrive before its opener does, and no line shows them until then.
  for (const [branch, lane] of opened.size === 0 ? [] : Object.entries(cold.lanes)) {
    if (!resolveChain(cold, branch)?.some((one) => opened.has(one))) continue
    const orders = rows.get(branch) ?? new Set()
    for await (const page of readRows(source, hot.session, lane)) for (const { order } of page) orders.add(order)
    rows.set(branch, orders)
  }
  // With another count, entries were inserted between others, or removed.
  return count === hot.entries ? { rows, last } : undefined
}

/**
 * Control entries that never change which messages a line shows. A tombstone hides the whole session, which the
 * session's row says.
 */
const harmless: ReadonlySet<string> = new Set(['head', 'compaction', 'checkpoint', 'delete', 'undelete'])

function isHarmless({ type, data }: StoredEntry): boolean {
  return harmless.has(type) || (type === 'meta' && !isOfBranch((data['target'] ?? {}) as MetaTarget))
}

const isOfBranch = ({ branch, branches }: MetaTarget): boolean => branch !== undefined || branches !== undefined
