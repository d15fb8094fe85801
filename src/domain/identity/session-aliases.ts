import type { IdentityLinks } from '../../contract/message-identity.ts'
import { goLower, goTrim } from './go-text.ts'
import { canonicalSender } from './identity-links.ts'
import type { NormalContext } from './normalise-context.ts'
import { normaliseAccountId, normaliseAgentId, normaliseChannel } from './normalise-id.ts'
import { mainAlias } from './session-key.ts'

/**
 * The readable names that a message's session had before keys were opaque, in order, each once. The agent's main alias
 * is always the first, so that it says nothing about this session. A direct chat has three names for each of its
 * sender, the sender's canonical name and the chat; any other chat has one, with the topic if there is one. Source:
 * PicoClaw, `buildLegacySessionAliases`
 *
 * @throws InvalidInput when the links are invalid
 */
export function legacyAliases(agentId: string, context: NormalContext, links?: IdentityLinks | null): string[] {
  const agent = `agent:${normaliseAgentId(agentId)}`
  const channel = normaliseChannel(context.channel)
  const chat = goLower(context.chatId)
  const aliases = [mainAlias(agentId)]
  if (context.chatType === 'direct') {
    const account = normaliseAccountId(context.account)
    const peers = [goLower(context.senderId), canonicalSender(context.channel, context.senderId, links), chat]
    for (const peer of peers) {
      if (peer !== '')
        aliases.push(
          `${agent}:direct:${peer}`,
          `${agent}:${channel}:direct:${peer}`,
          `${agent}:${channel}:${account}:direct:${peer}`,
        )
    }
  } else if (chat !== '') {
    const topic = context.topicId === '' ? '' : `/${goLower(context.topicId)}`
    // A scope calls a chat without a type `direct`, but these names call it `unknown`.
    aliases.push(`${agent}:${channel}:${context.chatType || 'unknown'}:${chat}${topic}`)
  }
  return [...new Set(aliases)]
}

/**
 * The names of a session other than its key: trimmed, each once, without blank ones. Source: PicoClaw,
 * `buildSessionAliases`
 */
export function buildSessionAliases(sessionKey: string, ...names: readonly string[]): string[] {
  const own = goTrim(sessionKey)
  return [...new Set(names.map((name) => goTrim(name)))].filter((name) => name !== '' && name !== own)
}
