import type { CoreBackend } from '../../../contract/backend.ts'
import type { OperationRow } from '../../../contract/operation-row.ts'
import type { SessionRows } from '../../../contract/rows.ts'
import { covers } from '../../../domain/version-vector.ts'
import { knownVector } from '../../../domain/work.ts'
import type { Plan } from './plan.ts'

/** The sessions whose log a session continues once it takes over another one's history. */
export function formerKeys(from: Plan, to: Plan): readonly string[] {
  const { key, formerly = [] } = from.base.hot
  return [...new Set([...(to.work.hot.formerly ?? []), key, ...formerly])].filter((one) => one !== to.work.hot.key)
}

/** The same for a session that has lost this fact. */
export async function findFormerKeys(
  backend: Pick<CoreBackend, 'listSessions'>,
  key: string,
): Promise<readonly string[]> {
  // Other unreadable rows are rebuilt when they are requested.
  const sessions = await backend.listSessions(() => undefined)
  const found = new Set<string>()
  const wanted = [key]
  for (const one of wanted) {
    for (const hot of sessions) {
      if (hot.promotedTo !== one || hot.key === key || found.has(hot.key)) continue
      for (const former of [hot.key, ...(hot.formerly ?? [])]) if (former !== key) found.add(former)
      wanted.push(hot.key)
    }
  }
  return [...found]
}

/**
 * Finds an operation that was stored before the log moved here. It stays where it was stored. One whose content is not
 * here was done in another session with that key, after this session had taken over the log.
 */
export async function findFormerOperation(
  backend: Pick<CoreBackend, 'loadSession' | 'findOperation'>,
  rows: SessionRows,
  id: string,
): Promise<OperationRow | undefined> {
  for (const key of rows.hot.formerly ?? []) {
    const former = await backend.loadSession(key)
    const found =
      former?.hot.recent.findLast((operation) => operation.id === id) ??
      (former && (await backend.findOperation(former.hot.session, id)))
    if (found?.made !== undefined && covers(knownVector(rows), found.made.w, found.made.s)) return found
  }
  return undefined
}
