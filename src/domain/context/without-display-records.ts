import type { Message } from '../../contract/message.ts'
import { hasSubstance } from './has-substance.ts'

/**
 * A message without data that only serves display: the field `toolCalls` when it lists records of tools (`{ id, name,
 * input, result }`). A record pairs with nothing, so that no provider would accept it. Calls that a model must see
 * again are in `tool_calls` or in parts. Other data in that field, such as calls with a `function`, stays.
 *
 * @returns the same message when it has no records, `undefined` when it has nothing else
 * Source: ai-panel, `AppendMessageWithTools` (`ToolCallRecord`: display only, never sent to the model)
 */
export function withoutDisplayRecords<M extends Message>(message: M): M | undefined {
  if (!isRecordList(message['toolCalls'])) return message
  const { toolCalls: _records, ...rest } = message
  const left = rest as unknown as M
  return hasSubstance(left) ? left : undefined
}

function isRecordList(value: unknown): boolean {
  return Array.isArray(value) && value.length > 0 && value.every(isRecord)
}

function isRecord(value: unknown): boolean {
  const { name, function: target } = (value ?? {}) as { readonly name?: unknown; readonly function?: unknown }
  return typeof name === 'string' && target === undefined
}
