import type { Message } from '../../contract/message.ts'

/**
 * Estimates what tool definitions cost, by what a message with the same text would: name, description and parameters as JSON.
 *
 * @param countTokens - the counter that the messages are counted with
 */
export function estimateToolTokens(tools: readonly { readonly name: string; readonly description?: string; readonly parameters?: unknown }[], countTokens: (message: Message) => number): number {
  return tools.reduce((total, { name, description = '', parameters = {} }) => total + countTokens({ role: 'system', content: [name, description, JSON.stringify(parameters)].join('\n') }), 0)
}
