import { continueLines } from '../conversation/continue-lines.ts'
import type { Conversation, ConversationNode } from '../conversation/conversation.ts'
import { timeOfSeconds } from '../conversation/seconds.ts'
import { createSizeGuard } from '../create-size-guard.ts'
import { isObject } from '../is-plain-object.ts'
import type { LogReader } from '../log-reader.ts'
import { contentOfParts, firstText, objectsOf, textParts } from '../message-content.ts'

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
      const parts = objectsOf(content).flatMap(({ text }) => textParts(isObject(text) ? text['value'] : text))
      nodes.push({
        id: firstText(id) ?? `line-${line}`,
        parentId: null,
        type: 'message',
        at: timeOfSeconds(at),
        line,
        ...(parts.length === 0
          ? {}
          : { data: { message: { role, content: contentOfParts(parts), ...modelOf(value) } } }),
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

function modelOf({ assistant_id: assistant, metadata }: Fields): Fields {
  const model = isObject(metadata) ? firstText(metadata['modelId'], metadata['model']) : undefined
  return model === undefined ? (typeof assistant === 'string' ? { assistant } : {}) : { model }
}
