import type { Entry } from '../../contract/entry.ts'
import { isSessionError } from '../../contract/errors.ts'
import type { JsonObject } from '../../contract/json.ts'
import { normaliseJson } from '../../domain/normalise.ts'
import { toWellFormed } from '../../domain/to-well-formed.ts'
import { metaEntry } from '../meta-entry.ts'
import { isPlainId } from '../plain-id.ts'
import { timeOf } from '../time.ts'
import type { Conversation } from './conversation.ts'

/** Most characters of a title, tag or id, and most tags, as `MetaPatch` has them. */
const listedChars = 1024
const listedTags = 64

/** What apps call a conversation that has no title yet: the first message says more. */
const noTitle = /^(new chat|untitled|new conversation)?$/i

/**
 * What a conversation says about itself, as `meta` entries: when it began, and everything else with the time of its
 * last change. Both are older than anything done here, so what somebody chose here stays.
 *
 * The title is a suggestion: mostly the other app made it up, it does not say, and a person who takes a title of their
 * own away comes back to it.
 */
export function conversationMetaEntries(
  source: string,
  conversation: Conversation,
  skip: (reason: string) => void,
): readonly Entry[] {
  const { dialect, sourceId, archived, tags, nodes } = conversation
  const [createdAt, updatedAt] = [timeOf(conversation.createdAt) ?? 0, timeOf(conversation.updatedAt) ?? 0]
  const title = toWellFormed((conversation.title ?? '').trim().slice(0, listedChars))
  const labels = tags?.map((tag) => toWellFormed(tag.trim().slice(0, listedChars))).filter((tag) => tag !== '')
  const custom = customOf(conversation, skip)
  const set = {
    ...(sourceId.length <= listedChars ? { id: toWellFormed(sourceId) } : {}),
    ...(noTitle.test(title) ? {} : { suggestedTitle: title }),
    ...(archived === undefined ? {} : { archived }),
    ...(labels === undefined ? {} : { tags: [...new Set(labels)].slice(0, listedTags) }),
    ...(isPlainId(sourceId) ? { aliases: [sourceId] } : {}),
    ...(custom === undefined ? {} : { custom: { [dialect]: custom } }),
  }
  const begun = createdAt > 0 ? [metaEntry(source, {}, createdAt, 0)] : []
  // Without a time, a conversation that has more in it is the later one.
  return [...begun, metaEntry(source, set, updatedAt || createdAt, updatedAt || nodes.length)]
}

function customOf({ custom = {} }: Conversation, skip: (reason: string) => void): JsonObject | undefined {
  const said = Object.entries(custom).filter(([, value]) => value !== undefined && value !== null && value !== '')
  if (said.length === 0) return undefined
  try {
    return normaliseJson(Object.fromEntries(said), { path: 'custom', maxBytes: 256 * 1024 }).value as JsonObject
  } catch (error) {
    if (!isSessionError(error)) throw error
    skip(`what it says of itself: ${error.message}`)
    return undefined
  }
}
