import type { EntryRef } from '../../contract/entry.ts'
import type { SessionStore } from '../../contract/store/session-store.ts'
import { orderEnd } from '../../domain/order.ts'
import { pathInSteps } from '../../domain/path-to.ts'
import { inBreaths } from '../../pacing/breather.ts'
import { breatheUntil } from '../../whole-log/breathe-until.ts'
import { readFold, standingIn } from '../../whole-log/read-fold.ts'
import type { PathContext } from './rules/path-context.ts'
import { contextInSteps, noContext } from './rules/path-context.ts'

/** See `Session.buildSessionContext`. */
export async function buildSessionContext(
  store: SessionStore,
  key: string,
  leaf?: EntryRef | null,
  signal?: AbortSignal,
): Promise<PathContext> {
  if (leaf === null) return noContext
  const breathe = breatheUntil(signal, 'Building the context')
  const fold = await readFold(store, key, { breathe, signal })
  if (fold.deleted) return noContext
  const at = leaf === undefined ? undefined : standingIn(fold, leaf)
  const path = await inBreaths(pathInSteps(fold, at ?? { branch: fold.head, order: orderEnd }), breathe)
  return inBreaths(contextInSteps(path), breathe)
}
