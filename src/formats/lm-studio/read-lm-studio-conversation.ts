import { contentHash, contentOf } from '../conversation/content-nodes.ts'
import type { Conversation, ConversationNode } from '../conversation/conversation.ts'
import type { OpeningIds } from '../conversation/opening-ids.ts'
import { isObject } from '../is-plain-object.ts'
import { contentOfParts, firstText, objectsOf, textParts } from '../message-content.ts'
import { timeOf } from '../time.ts'

type Fields = Readonly<Record<string, unknown>>

/**
 * Reads a conversation of LM Studio: `{ name, createdAt, messages: [{ versions: [{ role, content | steps }],
 * currentlySelected }] }`. The versions of a message are branches; what follows continues the selected one.
 */
export function readLmStudio(
  { name, createdAt, messages, pinned, systemPrompt }: Fields,
  ids: OpeningIds,
): Conversation {
  const nodes: ConversationNode[] = []
  let parentId: string | null = null
  function add(message: Fields): string {
    const id = contentHash(`${parentId ?? ''} ${contentOf(message)}`)
    const beginning = parentId === null ? { isBeginning: true as const } : {}
    if (!nodes.some((node) => node.id === id))
      nodes.push({ id, parentId, type: 'message', at: 0, data: { message }, ...beginning })
    return id
  }
  if (typeof systemPrompt === 'string' && systemPrompt.trim() !== '')
    parentId = add({ role: 'system', content: systemPrompt })
  for (const { versions, currentlySelected } of objectsOf(messages)) {
    const read = objectsOf(versions).map(readVersion)
    const added: (string | undefined)[] = read.map((message) => message && add(message))
    const selected = typeof currentlySelected === 'number' ? added[currentlySelected] : undefined
    parentId = selected ?? added.findLast((id) => id !== undefined) ?? parentId
  }
  // It has no id of its own: its file is named by the time when it was begun.
  const at = timeOf(createdAt)
  return {
    dialect: 'lm-studio',
    sourceId: ids(
      at === undefined ? undefined : String(at),
      nodes.map(({ data }) => data?.['message']),
    ),
    ...(typeof name === 'string' ? { title: name } : {}),
    createdAt: at ?? 0,
    ...(pinned === true ? { tags: ['pinned'] } : {}),
    nodes,
    current: parentId,
  }
}

function readVersion({ role, content, steps, senderInfo }: Fields): Fields | undefined {
  const blocks = [...objectsOf(content), ...objectsOf(steps).flatMap((step) => objectsOf(step['content']))]
  const parts = blocks.flatMap(({ text }) => textParts(text))
  if (parts.length === 0) return undefined
  const model = isObject(senderInfo) ? firstText(senderInfo['senderName']) : undefined
  return {
    role: role === 'user' || role === 'system' ? role : 'assistant',
    content: contentOfParts(parts),
    ...(role === 'assistant' && model !== undefined ? { model } : {}),
  }
}
