import type { CoreBackend } from '../../contract/backend.ts'
import type { OperationRow, SessionRows } from '../../contract/rows.ts'
import { knownVector } from '../../domain/arrive.ts'
import { covers } from '../../domain/version-vector.ts'
import type { Plan } from './plan.ts'

/** The sessions whose log goes on in one, once it takes over another. */
export function formerKeys(from: Plan, to: Plan): readonly string[] {
  const { key, formerly = [] } = from.base.hot
  return [...new Set([...(to.work.hot.formerly ?? []), key, ...formerly])].filter((one) => one !== to.work.hot.key)
}

/**
 * Finds an operation that was done before the log came here: it stays where it was done. One that made nothing that is here was done in another session
 * of that key, after this one had gone on.
 */
export async function findFormerOperation(backend: Pick<CoreBackend, 'loadSession' | 'findOperation'>, rows: SessionRows, id: string): Promise<OperationRow | undefined> {
  for (const key of rows.hot.formerly ?? []) {
    const former = await backend.loadSession(key)
    const found = former?.hot.recent.findLast((operation) => operation.id === id) ?? (former && (await backend.findOperation(former.hot.session, id)))
    if (found?.made !== undefined && covers(knownVector(rows), found.made.w, found.made.s)) return found
  }
  return undefined
}
