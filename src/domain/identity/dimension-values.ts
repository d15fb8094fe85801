import type { Dimension, IdentityLinks } from '../../contract/message-identity.ts'
import { goLower } from './go-text.ts'
import { canonicalSender } from './identity-links.ts'
import type { NormalContext } from './normalise-context.ts'

/**
 * The values of a message in each dimension, as scopes store and rules compare them; `''` when it has none. @throws
 * InvalidInput
 */
export function dimensionValues(context: NormalContext, links?: IdentityLinks | null): Record<Dimension, string> {
  const { channel, chatId, chatType, topicId, spaceId, spaceType, senderId } = context
  const typed = (type: string, id: string): string => (id === '' ? '' : `${type}:${goLower(id)}`)
  return {
    space: typed(spaceType || 'space', spaceId),
    chat: typed(chatType || 'direct', chatId),
    topic: typed('topic', topicId),
    sender: canonicalSender(channel, senderId, links),
  }
}
