import type { IdentityLinks } from '../../contract/message-identity.ts'
import { linkedIdentity } from './identity-links.ts'
import type { NormalContext } from './normalise-context.ts'
import { normaliseAgentId } from './normalise-id.ts'

/**
 * The key of the one session that an agent has with a linked person in direct chats: `agent:<agent>:identity:<name>`;
 * `undefined` for senders without a link, and wherever other people may read the conversation.
 *
 * The common aliases of linked senders (`agent:<agent>:direct:<name>`) can't be used: an unlinked sender whose raw id
 * is that name has them too, and the first sender owns them, so that a stranger could get into the person's
 * conversation.
 */
export function identityKey(
  agentId: string,
  { channel, chatType, senderId }: NormalContext,
  links?: IdentityLinks | null,
): string | undefined {
  const name = chatType === 'direct' ? linkedIdentity(channel, senderId, links) : undefined
  return name === undefined ? undefined : `agent:${normaliseAgentId(agentId)}:identity:${name}`
}
