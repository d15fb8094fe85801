import type { AttachedChat, ChatFunction, ChatRequest } from './attach/attach-types.ts'

/** Returns the original chat function of an attached chat. Pending requests are still recorded. */
export function detachSession<Request extends ChatRequest, Reply>(
  attached: AttachedChat<Request, Reply>,
): ChatFunction<Request, Reply> {
  return attached.original
}
