import type { JsonObject } from '../../../contract/json.ts'
import type { Message } from '../../../contract/message.ts'
import type { ManagedSession } from '../manager/manager-types.ts'

/** What an agent may answer with: messages, one message, or the text of one. */
export type AgentResult = string | Message | readonly Message[]

/** Anything that answers. It finds its session, if it wants it, with `sessionFromContext(context)`. */
export interface Agent {
  execute(input: Message, context: object): AgentResult | Promise<AgentResult>
}

/**
 * An agent that reads its session itself. It is called in this way wherever there is a session. Source: Aixgo,
 * `SessionAwareAgent`
 */
export interface SessionAwareAgent {
  /** @param session - ends with the input already */
  executeWithSession(input: Message, session: ManagedSession, context: object): AgentResult | Promise<AgentResult>
}

/** An agent with a state of its own that belongs into checkpoints. Source: Aixgo, `CheckpointableAgent` */
export interface CheckpointableAgent {
  createCheckpoint(): JsonObject | Promise<JsonObject>
  restoreFromCheckpoint(state: JsonObject): void | Promise<void>
}

/** An agent that wants to know what is remembered. Source: Aixgo, `MemoryAwareAgent` */
export interface MemoryAwareAgent {
  /** Called before each execution. */
  setMemory(memory: MemoryReader): void | Promise<void>
}

/** One thing that is remembered. */
export interface MemoryEntry {
  readonly key: string
  readonly value: string
  /** When it was set, RFC 3339 in UTC. */
  readonly timestamp: string
  /** Where it is from, in the words of who set it; may be empty. */
  readonly source: string
}

/** What an agent may do with a memory: look. Source: Aixgo, `MemoryReader` */
export interface MemoryReader {
  read(key: string): Promise<MemoryEntry | undefined>
  /**
   * The best finds, best first; at most 10 unless told. By words any of which is enough, or by the memory's own `rank`.
   */
  search(query: string, limit?: number): Promise<readonly MemoryEntry[]>
  /** Everything, by key. */
  list(): Promise<readonly MemoryEntry[]>
}

/** What an app may do with a memory. */
export interface Memory extends MemoryReader {
  /** Sets a value in the place of the one before. @throws InvalidInput, TooLarge */
  set(key: string, value: string, options?: { readonly source?: string }): Promise<MemoryEntry>
  /** Forgets a value; what another device sets at the same time stays. Says whether there was one. */
  delete(key: string): Promise<boolean>
  /** The same memory for an agent: it can't write, whatever it tries. */
  readonly reader: MemoryReader
}

/**
 * Puts entries in the order of how well they answer a query, and leaves out those that don't: by words, or by
 * embeddings.
 */
export type MemoryRanking = (
  query: string,
  entries: readonly MemoryEntry[],
) => readonly MemoryEntry[] | Promise<readonly MemoryEntry[]>
