import type { ManagedSession } from '../manager/manager-types.ts'
import { sessionPlace } from './session-place.ts'

/**
 * A context that carries a session: a copy of the one given, which stays as it is. Source: Aixgo, `ContextWithSession`
 */
export function contextWithSession<Context extends object>(context: Context, session: ManagedSession): Context {
  return { ...context, [sessionPlace]: session }
}
