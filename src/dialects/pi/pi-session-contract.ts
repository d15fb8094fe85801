import type { CopyOptions } from '../../client/branches/branch-types.ts'
import type { Session } from '../../client/session-contract.ts'
import type { EntryReceipt, EntryRef } from '../../contract/entry.ts'
import type { JsonObject, JsonValue } from '../../contract/json.ts'
import type { Message } from '../../contract/message.ts'
import type { BranchInfo } from '../../contract/meta.ts'
import type { WriteOptions } from '../../contract/store/write-options.ts'
import type { PathContext } from './rules/path-context.ts'

/** A message of an extension. A model gets it as a message of the user. */
export interface CustomMessage {
  readonly customType: string
  readonly content: NonNullable<Message['content']>
  /** Whether an app shows it. Default true. */
  readonly display?: boolean
  readonly details?: JsonObject
}

/**
 * A session with the names that pi-coding-agent's `SessionManager` gives its operations. Everything is stored at once.
 */
export interface PiSession {
  /**
   * Continues after an entry, or from the start (`null`): opens a branch there, unless the head line ends with that
   * entry and no reply to it is being streamed.
   *
   * @returns the head
   * @throws SessionNotFound, InvalidInput
   * Source: `branch` and `resetLeaf`
   */
  branch(after: EntryRef | null): Promise<BranchInfo>
  /**
   * Continues after an entry, or from the start, with a summary of what was tried before, in one transaction. A model
   * gets it as a message of the user.
   *
   * @throws SessionNotFound, InvalidInput
   */
  branchWithSummary(
    after: EntryRef | null,
    summary: string,
    options?: WriteOptions & { readonly details?: JsonObject },
  ): Promise<EntryReceipt>
  /**
   * pi's context at an entry (default, and for an unknown one: at the end of the head line; `null`: nothing): the path
   * up to it after the last compaction on it, preceded by the summary of that compaction, with the model and thinking
   * level chosen there. Cuts as old as the entry apply, and so do later edits. Reads the whole session, by a job.
   *
   * The messages are those of pi's own method, in pi's roles (`compactionSummary`, `branchSummary`, `custom`,
   * `bashExecution`), including every stored one. `convertToLlm` turns them into what pi hands to a model; `context()`
   * has the rules for any provider.
   *
   * @throws Aborted when the signal fires
   */
  buildSessionContext(
    leaf?: EntryRef | null,
    options?: { readonly signal?: AbortSignal | undefined },
  ): Promise<PathContext>
  /** Labels an entry, or removes its label (`null`). @throws InvalidInput when there is no such entry */
  setLabel(target: EntryRef, label: string | null, options?: WriteOptions): Promise<EntryReceipt>
  /** The labels of all lines, by the ids of the entries. Reads the whole session. @throws Aborted when the signal fires */
  labels(options?: { readonly signal?: AbortSignal | undefined }): Promise<ReadonlyMap<string, string>>
  /** Notes that another model answers from here on. */
  setModel(provider: string, modelId: string, options?: WriteOptions): Promise<EntryReceipt>
  setThinkingLevel(thinkingLevel: string, options?: WriteOptions): Promise<EntryReceipt>
  /** Stores data of an extension that a model never gets. */
  appendCustom(customType: string, data?: JsonValue, options?: WriteOptions): Promise<EntryReceipt>
  /** Stores a message of an extension, which a model gets. */
  appendCustomMessage(message: CustomMessage, options?: WriteOptions): Promise<EntryReceipt>
  /** The same as `branches.copy` of the session. */
  createBranchedSession(leaf: EntryRef, options?: CopyOptions): Promise<Session>
}
