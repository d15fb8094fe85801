import { pushAll } from '../../domain/push-all.ts'
import { type FoundFile, pictureOf, withFiles } from '../attachments.ts'
import { continueLines } from '../conversation/continue-lines.ts'
import type { Conversation, ConversationNode } from '../conversation/conversation.ts'
import { timeOfSeconds } from '../conversation/seconds.ts'
import { createSizeGuard } from '../create-size-guard.ts'
import { isObject } from '../is-plain-object.ts'
import type { LogReader } from '../log-reader.ts'
import { type ContentPart, callParts, contentOfParts, firstText, objectsOf, textParts } from '../message-content.ts'

type Fields = Readonly<Record<string, unknown>>

/**
 * Reads the `messages.jsonl` of threads of Jan: lines `{ id, object: 'thread.message', thread_id, role, content: [{ type,
 * text: { value } }], created_at }`. The title is in another file, and not read.
 *
 * @throws (take) TooLarge
 */
export function createJanReader(): LogReader {
  const hold = createSizeGuard()
  const threads = new Map<string, ConversationNode[]>()
  return {
    take: (value, line, bytes) => {
      const { id, thread_id: thread, role, content, created_at: at } = value
      const key = firstText(thread)
      if (key === undefined) return 'it has no thread_id'
      hold(bytes)
      const nodes = threads.get(key) ?? []
      threads.set(key, nodes)
      const { parts, files } = readContent(content)
      const attached = objectsOf(value['attachments']).map(({ file_id: file }) => ({ id: file }))
      const message = { role, content: contentOfParts(parts), ...modelOf(value) }
      nodes.push({
        id: firstText(id) ?? `line-${line}`,
        parentId: null,
        type: 'message',
        at: timeOfSeconds(at),
        line,
        ...withFiles(message, parts.length > 0, [...files, ...attached]),
      })
      return undefined
    },
    end: () =>
      [...threads].map(
        ([sourceId, nodes]): Conversation => ({
          dialect: 'jan',
          sourceId: sourceId.trim(),
          createdAt: nodes[0]?.at ?? 0,
          nodes: continueLines(nodes),
        }),
      ),
  }
}

/** What a message says, and what stands in it that is no text. */
function readContent(content: unknown): {
  readonly parts: readonly ContentPart[]
  readonly files: readonly FoundFile[]
} {
  const parts: ContentPart[] = []
  const files: FoundFile[] = []
  for (const part of objectsOf(content)) {
    const { type, text, image_url: link, tool_call_id: call, tool_name: tool, input, output } = part
    const said = isObject(text) ? text : { value: text }
    if (type === 'tool_call') pushAll(parts, callParts(firstText(call) ?? 'call', tool, input, output))
    else if (link !== undefined) files.push(pictureOf(link))
    else if (type === 'text' || type === 'reasoning' || textParts(said['value']).length > 0)
      pushAll(parts, textParts(said['value']))
    else files.push({ type })
  }
  return { parts, files }
}

function modelOf({ assistant_id: assistant, metadata }: Fields): Fields {
  const model = isObject(metadata) ? firstText(metadata['modelId'], metadata['model']) : undefined
  return model === undefined ? (typeof assistant === 'string' ? { assistant } : {}) : { model }
}
