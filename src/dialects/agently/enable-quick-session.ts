import type { ClientFiles } from '../../client/client-contract.ts'
import { SessionError } from '../../contract/errors.ts'
import type { JsonObject } from '../../contract/json.ts'
import { isObject } from '../../domain/is-object.ts'
import type { AttachedChat, AttachOptions, ChatFunction, ChatRequest } from './attach/attach-types.ts'
import { attachSession } from './attach-session.ts'
import { createMemoSession } from './create-memo-session.ts'
import type { SessionPlace } from './memo-types.ts'

/** A session, and the `files` of a client, which are needed to load a state into it. */
export type QuickPlace = SessionPlace & { readonly files?: Pick<ClientFiles, 'import'> }

/**
 * Puts a session in front of a chat function. The session remembers everything and is never resized, whatever settings
 * the loaded state has.
 *
 * @param load - the state to begin with, as AgentlyMemoSession exports it: an object, or its JSON or YAML text
 * @throws TypeError when `load` is neither
 * Source: Agently, `enable_quick_session`
 */
export async function enableQuickSession<Request extends ChatRequest, Reply>(
  chat: ChatFunction<Request, Reply>,
  place: QuickPlace,
  load?: JsonObject | string,
  options?: AttachOptions,
): Promise<AttachedChat<Request, Reply>> {
  if (load !== undefined && typeof load !== 'string' && !isObject(load))
    throw new TypeError(
      `A quick session can be loaded from an object, or from JSON or YAML text, but got ${load === null ? 'null' : typeof load}.`,
    )
  const session = createMemoSession(place)
  if (load !== undefined) {
    if (place.files === undefined) {
      throw new SessionError(
        'InvalidInput',
        'A state can be loaded only with the `files` of a client. Pass them with the place, or leave out the state.',
      )
    }
    const source = new Blob([typeof load === 'string' ? load : JSON.stringify(load)])
    await place.files.import(source, { format: 'agently', key: session.key }).result
  }
  // Comes after the import, because the loaded state has settings that replace the session's.
  await session.configure({ limit: { chars: 0, messages: 0 }, everyNTurns: 0 })
  return attachSession(chat, session, options)
}
