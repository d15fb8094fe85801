import type { Message } from '../../contract/message.ts'

/**
 * Estimates the cost of tool definitions as the cost of a message with the same text: name, description and parameters
 * as JSON.
 *
 * @param countTokens - the counter for messages
 */
export function estimateToolTokens(
  tools: readonly { readonly name: string; readonly description?: string; readonly parameters?: unknown }[],
  countTokens: (message: Message) => number,
): number {
  return tools.reduce(
    (total, { name, description = '', parameters = {} }) =>
      total + countTokens({ role: 'system', content: [name, description, JSON.stringify(parameters)].join('\n') }),
    0,
  )
}
