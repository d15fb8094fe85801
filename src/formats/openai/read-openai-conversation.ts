import { contentNodes } from '../conversation/content-nodes.ts'
import type { Conversation } from '../conversation/conversation.ts'
import type { OpeningIds } from '../conversation/opening-ids.ts'
import { timeOf } from '../time.ts'
import { readTools } from './read-tools.ts'

type Fields = Readonly<Record<string, unknown>>

/**
 * Reads messages in OpenAI's form, `{ id?, title?, messages: […] }`, from a list or from fine-tuning data. They stay as
 * they are.
 */
export function readOpenAi(value: Fields, ids: OpeningIds): Conversation {
  const { id, title, messages, tools, model } = value
  const list = Array.isArray(messages) ? (messages as readonly unknown[]) : []
  return {
    dialect: 'openai',
    sourceId: ids(id, list),
    ...(typeof title === 'string' ? { title } : {}),
    createdAt: timeOf(value['createdAt']) ?? 0,
    updatedAt: timeOf(value['updatedAt']) ?? 0,
    custom: { tools: readTools(tools), model },
    nodes: contentNodes(list),
  }
}
