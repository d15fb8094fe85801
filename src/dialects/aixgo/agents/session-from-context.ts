import type { ManagedSession } from '../manager/manager-types.ts'
import { sessionPlace } from './session-place.ts'

/** The session that a context carries, or `undefined`. Source: Aixgo, `SessionFromContext` */
export function sessionFromContext(context: object): ManagedSession | undefined {
  return (context as Readonly<Record<symbol, ManagedSession | undefined>>)[sessionPlace]
}
