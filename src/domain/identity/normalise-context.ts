import type { InboundContext, PicoclawContext } from '../../contract/message-identity.ts'
import { goLower, goTrim } from './go-text.ts'
import { booleanAt, objectAt, refusal, textAt } from './identity-input.ts'

/** A context with every field, trimmed; `''` for missing ones. The types are in lower case. */
export interface NormalContext extends Required<InboundContext> {
  readonly mentioned: boolean
}

/**
 * Reads a context in either spelling; when both are given, camel case wins. Source: PicoClaw, `NormalizeInboundContext`
 *
 * @throws InvalidInput when a field is no string: numeric ids must be passed as strings
 */
export function normaliseContext(context: InboundContext | PicoclawContext): NormalContext {
  // A missing context is refused: the messages of every caller that forgets it would end up in one conversation.
  if (context === undefined || context === null)
    throw refusal('context', context, 'Pass where the message comes from: { channel, chatId, senderId, … }.')
  const fields = objectAt(context, 'context')
  const read = (name: string, other = name): string => {
    const spelled = fields[name] === undefined ? other : name
    return goTrim(textAt(fields[spelled], `context.${spelled}`))
  }
  return {
    channel: read('channel'),
    account: read('account'),
    chatId: read('chatId', 'chat_id'),
    chatType: goLower(read('chatType', 'chat_type')),
    topicId: read('topicId', 'topic_id'),
    spaceId: read('spaceId', 'space_id'),
    spaceType: goLower(read('spaceType', 'space_type')),
    senderId: read('senderId', 'sender_id'),
    mentioned: booleanAt(fields['mentioned'], 'context.mentioned') ?? false,
  }
}
