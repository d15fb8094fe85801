import type { SessionStore } from '../../../contract/store/session-store.ts'
import { checkId } from '../../../domain/identity/check-id.ts'
import { drawUuid } from './draw-uuid.ts'
import type { CreateSessionOptions } from './manager-types.ts'

/** @returns the id of the new session */
export async function storeNewSession(
  store: SessionStore,
  agentName: string,
  { userId = '', metadata, ttl }: CreateSessionOptions,
): Promise<string> {
  const id = drawUuid()
  await store.updateMeta(id, {
    agentId: checkId(agentName, 'agent'),
    ...(userId === '' ? {} : { userId }),
    ...(metadata === undefined ? {} : { custom: metadata }),
    ...(ttl === undefined ? {} : { ttl }),
  })
  return id
}
