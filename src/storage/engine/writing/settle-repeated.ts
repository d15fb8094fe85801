import type { CoreBackend } from '../../../contract/backend.ts'
import type { OperationRow } from '../../../contract/operation-row.ts'
import type { SessionRows } from '../../../contract/rows.ts'
import type { Pending } from './mutation.ts'
import type { OperationLookup } from './operation-lookup.ts'
import { isContentGone, isSameCall } from './operation-memory.ts'
import { answerAgain } from './plan-calls.ts'

export interface SettleRepeatedParts {
  readonly backend: Pick<CoreBackend, 'loadSession'>
  readonly lookup: Pick<OperationLookup, 'find'>
  readonly requeue: (key: string, pending: Pending) => void
}

/**
 * Answers the calls of a group whose operation is already stored. When a group has the same operation twice, the second
 * call waits for the first.
 *
 * @returns the remaining calls; `undefined` when another tab has changed the session in the meantime, so that `rows` no
 * longer show which operations are stored
 */
export async function settleRepeated(
  { backend, lookup, requeue }: SettleRepeatedParts,
  key: string,
  rows: SessionRows,
  group: readonly Pending[],
): Promise<readonly Pending[] | undefined> {
  const asked = group.map(({ mutation: { operation }, since }) => operation && lookup.find(rows, operation.id, since))
  // The answers are nearly always at hand. To await each of them would make a burst wait ten thousand times.
  const found = asked.some((one) => one instanceof Promise)
    ? await Promise.all(asked)
    : (asked as readonly (OperationRow | undefined)[])
  // A call that is only answered makes no commit, and only a commit would notice that these rows are outdated.
  if (found.some((one) => one !== undefined)) {
    const stored = await backend.loadSession(key)
    // One that was begun anew under the key may have as many versions.
    if (stored?.hot.version !== rows.hot.version || stored.hot.session !== rows.hot.session) return undefined
  }
  const left: Pending[] = []
  const ids = new Set<string>()
  for (const [i, pending] of group.entries()) {
    const { operation } = pending.mutation
    const before = found[i]
    const isRedone = before !== undefined && !isSameCall(operation, before) && isContentGone(rows.cold, before.made)
    if (operation === undefined) left.push(pending)
    else if (before !== undefined && !isRedone) await answerAgain(pending, operation.fingerprint, rows, before)
    else if (ids.has(operation.id)) requeue(key, pending)
    else left.push({ ...pending, isRedone })
    if (operation !== undefined) ids.add(operation.id)
  }
  return left
}
