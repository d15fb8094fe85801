import type { EntryInput } from '../../../contract/entry.ts'
import type { Message } from '../../../contract/message.ts'
import type { ManagedSession } from '../manager/manager-types.ts'
import type { Agent, AgentResult, MemoryReader, SessionAwareAgent } from './agent-types.ts'
import { contextWithSession } from './context-with-session.ts'
import { isMemoryAware } from './is-memory-aware.ts'
import { isSessionAware } from './is-session-aware.ts'

export interface RunOptions {
  /** The context for the agent; it gets a copy that carries the session. */
  readonly context?: object
  /** Given to a memory-aware agent before it runs. Pass a memory's `reader`. */
  readonly memory?: MemoryReader
}

/**
 * Runs an agent in a session: the input is stored before, and the result after. An agent that is not session-aware runs
 * as well, but does not get the history. If it fails, the input stays, an entry of type `custom` (`customType:
 * 'run_failed'`), which models don't get, records the reason, and the error is thrown.
 *
 * @param input - a message, or the text of a user's message
 * @returns the agent's result
 *
 * @example
 * const reply = await runWithSession(agent, 'Hello', await manager.getOrCreate('helper', 'ann'))
 *
 * Source: Aixgo, `CallWithSession`
 */
export async function runWithSession(
  agent: Agent | SessionAwareAgent,
  input: string | Message,
  session: ManagedSession,
  options: RunOptions = {},
): Promise<AgentResult> {
  const asked: Message = typeof input === 'string' ? { role: 'user', content: input } : input
  await session.append(asked)
  const result = await execute(agent, asked, session, options).catch(async (error: unknown) => {
    await session.appendAll([failureOf(error)]).catch(() => undefined)
    throw error
  })
  const entries = messagesOf(result).map((message): EntryInput => ({ type: 'message', message }))
  if (entries.length > 0) await session.appendAll(entries)
  return result
}

async function execute(
  agent: Agent | SessionAwareAgent,
  input: Message,
  session: ManagedSession,
  { context = {}, memory }: RunOptions,
): Promise<AgentResult> {
  if (memory !== undefined && isMemoryAware(agent)) await agent.setMemory(memory)
  const carried = contextWithSession(context, session)
  return isSessionAware(agent) ? agent.executeWithSession(input, session, carried) : agent.execute(input, carried)
}

function messagesOf(result: AgentResult): readonly Message[] {
  if (typeof result === 'string') return [{ role: 'assistant', content: result }]
  return isList(result) ? result : [result]
}

const isList = (result: Message | readonly Message[]): result is readonly Message[] => Array.isArray(result)

function failureOf(error: unknown): EntryInput {
  const { name, message } = error instanceof Error ? error : { name: 'Error', message: String(error) }
  return { type: 'custom', data: { customType: 'run_failed', error: { name, message } } }
}
