import type { ManagedSession } from '../manager/manager-types.ts'
import { sessionPlace } from './session-place.ts'

/**
 * Returns a copy of a context that carries a session; the original is not changed. Source: Aixgo, `ContextWithSession`
 */
export function contextWithSession<Context extends object>(context: Context, session: ManagedSession): Context {
  return { ...context, [sessionPlace]: session }
}
