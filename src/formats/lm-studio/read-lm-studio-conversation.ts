import { type FoundFile, withFiles } from '../attachments.ts'
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
  /** @returns `undefined` when there is nothing to store */
  function add(read: ReturnType<typeof withFiles>): string | undefined {
    const { data, leftOut } = read
    if (data === undefined && leftOut === undefined) return undefined
    const id = contentHash(`${parentId ?? ''} ${contentOf(data?.['message'])}`)
    const beginning = parentId === null ? { isBeginning: true as const } : {}
    if (!nodes.some((node) => node.id === id))
      nodes.push({ id, parentId, type: 'message', at: 0, ...read, ...beginning })
    return data === undefined ? undefined : id
  }
  if (typeof systemPrompt === 'string' && systemPrompt.trim() !== '')
    parentId = add({ data: { message: { role: 'system', content: systemPrompt } } }) ?? null
  for (const { versions, currentlySelected } of objectsOf(messages)) {
    const added: (string | undefined)[] = objectsOf(versions).map(readVersion).map(add)
    const selected = typeof currentlySelected === 'number' ? added[currentlySelected] : undefined
    parentId = selected ?? added.findLast((id) => id !== undefined) ?? parentId
  }
  // It has no id of its own: its file is named by the time when it was begun.
  const at = timeOf(createdAt)
  return {
    dialect: 'lm-studio',
    sourceId: ids(
      at === undefined ? undefined : String(at),
      nodes.flatMap(({ data }) => (data === undefined ? [] : [data['message']])),
    ),
    ...(typeof name === 'string' ? { title: name } : {}),
    createdAt: at ?? 0,
    ...(pinned === true ? { tags: ['pinned'] } : {}),
    nodes,
    current: parentId,
  }
}

function readVersion({ role, content, steps, senderInfo }: Fields): ReturnType<typeof withFiles> {
  const blocks = [...objectsOf(content), ...objectsOf(steps).flatMap((step) => objectsOf(step['content']))]
  const parts = blocks.flatMap(({ text }) => textParts(text))
  const files = blocks.filter(({ text }) => typeof text !== 'string').map(fileOf)
  const model = isObject(senderInfo) ? firstText(senderInfo['senderName']) : undefined
  const said = {
    role: role === 'user' || role === 'system' ? role : 'assistant',
    content: contentOfParts(parts),
    ...(role === 'assistant' && model !== undefined ? { model } : {}),
  }
  return withFiles(said, parts.length > 0, files)
}

/** Other parts are those of a tool, which has a name too. */
function fileOf({ type, name, identifier, fileIdentifier: id = identifier, fileType }: Fields): FoundFile {
  return type === 'file' ? { type: fileType === 'image' ? 'image' : 'file', name, id } : {}
}
