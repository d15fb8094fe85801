import type { IdentityLinks } from '../../contract/message-identity.ts'
import { linkedIdentity } from './identity-links.ts'
import { normaliseAgentId } from './normalise-id.ts'
import type { NormalContext } from './normalise-context.ts'

/**
 * The key of the one session an agent has with a linked person in direct chats: `agent:<agent>:identity:<name>`; `undefined` for
 * senders without a link, and wherever others may read along.
 *
 * The aliases that linked senders have in common (`agent:<agent>:direct:<name>`) would not do: an unlinked sender whose raw id is that
 * name has them too, and whoever comes first owns them, so a stranger could end up in the person's conversation.
 */
export function identityKey(agentId: string, { channel, chatType, senderId }: NormalContext, links?: IdentityLinks | null): string | undefined {
  const name = chatType === 'direct' ? linkedIdentity(channel, senderId, links) : undefined
  return name === undefined ? undefined : `agent:${normaliseAgentId(agentId)}:identity:${name}`
}
