import type { AttachedChat, ChatFunction, ChatRequest } from './attach/attach-types.ts'

/** Gives back the chat function that a session was put in front of. Requests under way are still recorded. */
export function detachSession<Request extends ChatRequest, Reply>(
  attached: AttachedChat<Request, Reply>,
): ChatFunction<Request, Reply> {
  return attached.original
}
