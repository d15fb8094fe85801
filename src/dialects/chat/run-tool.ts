import { unlessAborted } from '../../client/upkeep/unless-aborted.ts'
import { SessionError } from '../../contract/errors.ts'
import type { JsonObject, JsonValue } from '../../contract/json.ts'
import type { Message } from '../../contract/message.ts'
import type { ChatTool } from './chat-types.ts'
import type { NamedCall } from './read-reply.ts'

/**
 * Runs the tool that a call names, and makes the message with its result. The model gets errors as the result (of the
 * tool, for an unknown tool, and for arguments that are not a JSON object), so that it can correct itself.
 *
 * @throws Aborted as soon as the signal fires, whether the tool reacts to it or not
 */
export async function runTool(
  tools: readonly ChatTool[],
  call: NamedCall,
  options: Parameters<ChatTool['run']>[1],
): Promise<Message & { readonly content: string }> {
  const answer = { role: 'tool', tool_call_id: call.id, name: call.name }
  try {
    const tool = tools.find(({ name }) => name === call.name)
    if (tool === undefined) throw new Error(`There is no tool "${call.name}".`)
    const args = readArguments(call.arguments)
    const result = await unlessAborted(Promise.resolve(tool.run(args, options)), options.signal, 'The tool')
    return { ...answer, content: typeof result === 'string' ? result : (JSON.stringify(result) ?? '') }
  } catch (error) {
    if (options.signal.aborted)
      throw new SessionError('Aborted', 'The tool was aborted because the client disconnected.', { cause: error })
    return { ...answer, content: `Error: ${error instanceof Error ? error.message : String(error)}`, isError: true }
  }
}

function readArguments(text: string): JsonObject {
  let args: JsonValue
  try {
    args = text.trim() === '' ? {} : (JSON.parse(text) as JsonValue)
  } catch (error) {
    throw new Error(`The arguments are not JSON: ${(error as Error).message}.`, { cause: error })
  }
  if (typeof args !== 'object' || args === null || Array.isArray(args))
    throw new Error('The arguments must be a JSON object.')
  return args as JsonObject
}
