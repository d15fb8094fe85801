import type { EntryRef } from '../../contract/entry.ts'
import type { SessionStore } from '../../contract/store/session-store.ts'
import { orderEnd } from '../../domain/order.ts'
import { pathTo } from '../../domain/path-to.ts'
import { readFold, standingIn } from '../../whole-log/read-fold.ts'
import type { PathContext } from './rules/path-context.ts'
import { noContext, pathContext } from './rules/path-context.ts'

/** See `Session.buildSessionContext`. */
export async function buildSessionContext(
  store: SessionStore,
  key: string,
  leaf?: EntryRef | null,
): Promise<PathContext> {
  if (leaf === null) return noContext
  const fold = await readFold(store, key)
  if (fold.deleted) return noContext
  const at = leaf === undefined ? undefined : standingIn(fold, leaf)
  return pathContext(pathTo(fold, at ?? { branch: fold.head, order: orderEnd }))
}
