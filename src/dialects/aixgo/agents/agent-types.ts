import type { JsonObject } from '../../../contract/json.ts'
import type { Message } from '../../../contract/message.ts'
import type { ManagedSession } from '../manager/manager-types.ts'

/** The reply of an agent: messages, one message, or the text of one. */
export type AgentResult = string | Message | readonly Message[]

/** An agent. It can get its session with `sessionFromContext(context)`. */
export interface Agent {
  execute(input: Message, context: object): AgentResult | Promise<AgentResult>
}

/**
 * An agent that reads its session itself. It is called in this way wherever there is a session. Source: Aixgo,
 * `SessionAwareAgent`
 */
export interface SessionAwareAgent {
  /** @param session - already contains the input at its end */
  executeWithSession(input: Message, session: ManagedSession, context: object): AgentResult | Promise<AgentResult>
}

/** An agent with a state of its own that is saved in checkpoints. Source: Aixgo, `CheckpointableAgent` */
export interface CheckpointableAgent {
  createCheckpoint(): JsonObject | Promise<JsonObject>
  restoreFromCheckpoint(state: JsonObject): void | Promise<void>
}

/** An agent that uses a memory. Source: Aixgo, `MemoryAwareAgent` */
export interface MemoryAwareAgent {
  /** Called before each execution. */
  setMemory(memory: MemoryReader): void | Promise<void>
}

/** One entry of a memory. */
export interface MemoryEntry {
  readonly key: string
  readonly value: string
  /** When it was set, RFC 3339 in UTC. */
  readonly timestamp: string
  /** Where the value comes from, as stated by the code that set it; may be empty. */
  readonly source: string
}

/** Read access to a memory, for agents. Source: Aixgo, `MemoryReader` */
export interface MemoryReader {
  read(key: string): Promise<MemoryEntry | undefined>
  /**
   * The best matches, best first; at most `limit` (default 10). An entry matches if it has any of the words, or by the
   * memory's own `rank`.
   */
  search(query: string, limit?: number): Promise<readonly MemoryEntry[]>
  /** Everything, by key. */
  list(): Promise<readonly MemoryEntry[]>
}

/** Full access to a memory, for apps. */
export interface Memory extends MemoryReader {
  /** Sets a value, and replaces the one before. @throws InvalidInput, TooLarge */
  set(key: string, value: string, options?: { readonly source?: string }): Promise<MemoryEntry>
  /** Deletes a value; a value that another device sets at the same time stays. @returns whether there was one */
  delete(key: string): Promise<boolean>
  /** The same memory for an agent, without any way to write. */
  readonly reader: MemoryReader
}

/** Sorts entries by how well they match a query, such as by embeddings, and leaves out those that don't. */
export type MemoryRanking = (
  query: string,
  entries: readonly MemoryEntry[],
) => readonly MemoryEntry[] | Promise<readonly MemoryEntry[]>
