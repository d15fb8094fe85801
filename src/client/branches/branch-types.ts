import type { EntryReceipt, EntryRef, EntryView } from '../../contract/entry.ts'
import type { JsonObject, JsonValue } from '../../contract/json.ts'
import type { Message } from '../../contract/message.ts'
import type { BranchInfo } from '../../contract/meta.ts'
import type { AppendResult, WriteOptions } from '../../contract/store.ts'
import type { PathContext } from '../../dialects/pi/rules/path-context.ts'

/** How a branch is opened. */
export interface NewBranchOptions extends WriteOptions {
  readonly name?: string
}

/** A branch as a list shows it. */
export interface BranchPreview extends BranchInfo {
  /** How its first own message begins, at most 30 characters; `''` when it has none with text. */
  readonly preview: string
  /** Messages of its own, those of the lines it leaves not counted. */
  readonly messageCount: number
  /** Milliseconds since 1970 of its newest own entry; of its opening when there is none. */
  readonly lastActivity: number
}

/** One of the ways that go on from a fork. */
export interface ForkChoice {
  /** The branch the way begins with. */
  readonly branch: string
  /** The line to switch to: the head when that goes this way, otherwise the newest that does. */
  readonly line: string
  /** The first message after the fork; absent when the way has none yet. */
  readonly first?: EntryView
  /** How that begins, at most 30 characters. */
  readonly preview: string
}

/** A place where lines part. */
export interface TreeFork {
  /** Names the place, whatever line is shown. */
  readonly id: string
  /** The last place that the ways share; an empty order is the start. */
  readonly at: { readonly branch: string; readonly order: string }
  /** The one that was left first, then those that left it, oldest first. */
  readonly choices: readonly ForkChoice[]
  /** Which choice the head goes: "2 of 3" is 1; −1 where the head does not come by. */
  readonly shown: number
}

/** How the lines of a session hang together. */
export interface SessionTree {
  readonly head: string
  readonly forks: readonly TreeFork[]
}

/** What a merge of branches did. */
export interface BranchMerge {
  /** The line that was appended to. */
  readonly branch: string
  /** Entries that were copied. */
  readonly added: number
}

/** What a new session made of a path may be told. */
export interface BranchedSessionOptions {
  /** Key of the new session, so that the call is safe to repeat. Default: a new one. */
  readonly key?: string
}

/** The lines of a session, and what is done with them. */
export interface BranchOperations {
  branches(): Promise<readonly BranchInfo[]>
  /** The branches with what a list shows of each. Costs as much for long branches as for short ones. */
  branchPreviews(): Promise<readonly BranchPreview[]>
  /** The forks of all lines and where each way leads, for a "2 of 3" switcher. */
  tree(): Promise<SessionTree>
  /** Opens a branch before an entry: everything up to the entry before it stays, what follows is written anew. @throws SessionNotFound, InvalidInput */
  branchBefore(entry: EntryRef, options?: NewBranchOptions): Promise<BranchInfo>
  /** Opens a branch after an entry. @throws SessionNotFound, InvalidInput */
  branchAfter(entry: EntryRef, options?: NewBranchOptions): Promise<BranchInfo>
  /**
   * Opens a branch on which a question is answered anew: it leaves after the user's message that the entry answers, so that a reply with
   * tool calls goes as a whole. The old reply stays on its line. Default: the last entry of the transcript.
   *
   * @throws SessionNotFound; InvalidInput when there is no such entry
   */
  regenerate(reply?: EntryRef, options?: NewBranchOptions): Promise<BranchInfo>
  /**
   * Opens a branch before a message and says another one there, both in one transaction. With an `operationId` it is safe to repeat.
   *
   * @throws SessionNotFound, OperationConflict; InvalidInput when there is no such message
   */
  editAndResend(target: EntryRef, message: Message, options?: WriteOptions): Promise<AppendResult>
  switchBranch(branch: string, options?: WriteOptions): Promise<void>
  nameBranch(branch: string, name: string | null, options?: WriteOptions): Promise<void>
  /** Hides a branch. When it was the head, the line it left becomes it. @throws SessionNotFound, InvalidInput (main) */
  deleteBranch(branch: string, options?: WriteOptions): Promise<void>
  /**
   * Appends to a line (default: the head) what it lacks of another one: messages, custom messages and branch summaries, as the other's
   * transcript shows them. In front of the copies stands a `custom` entry of type `merged_branch`, which tells where each is from. What the
   * line has or had, itself or as a copy, is not copied: a second merge adds nothing.
   *
   * @throws SessionNotFound; InvalidInput for unknown branches; ParentMoved when others keep appending to the line
   */
  mergeBranch(from: string, into?: string): Promise<BranchMerge>
  /**
   * Goes on after an entry, or from the start: opens a branch there, unless the head line ends with that entry.
   *
   * @returns the head
   * @throws SessionNotFound, InvalidInput
   * Source: pi-coding-agent, `branch` and `resetLeaf`; stored at once
   */
  branch(after: EntryRef | null): Promise<BranchInfo>
  /**
   * Goes on after an entry, or from the start, with a summary of what was tried instead, in one transaction. A model gets it as a user's message.
   *
   * @throws SessionNotFound, InvalidInput
   * Source: pi-coding-agent, `branchWithSummary`
   */
  branchWithSummary(after: EntryRef | null, summary: string, options?: WriteOptions & { readonly details?: JsonObject }): Promise<EntryReceipt>
  /**
   * pi's context at an entry (default, and for an unknown one: at the end of the head line; `null`: nothing): the path up to it after the
   * last compaction on it, in front the summary of that, with the model and thinking level that were chosen there. Cuts as old as the entry
   * count, later edits too. Reads the whole session, by a job.
   *
   * The messages are those of pi's own method, in pi's roles (`compactionSummary`, `branchSummary`, `custom`, `bashExecution`), each that was
   * stored included. `convertToLlm` (`keepsession/context`) makes of them what pi hands to a model; `context()` has the rules for any provider.
   *
   * Source: pi-coding-agent, `buildSessionContext`
   */
  buildSessionContext(leaf?: EntryRef | null): Promise<PathContext>
}

/** What stands in a line beside the messages. */
export interface LineOperations {
  /** Labels an entry, or takes its label away. @throws InvalidInput when there is no such entry */
  setLabel(target: EntryRef, label: string | null, options?: WriteOptions): Promise<EntryReceipt>
  /** The labels of all lines, by the ids of the entries. */
  labels(): Promise<ReadonlyMap<string, string>>
  /** Notes that another model answers from here on. */
  setModel(provider: string, modelId: string, options?: WriteOptions): Promise<EntryReceipt>
  setThinkingLevel(thinkingLevel: string, options?: WriteOptions): Promise<EntryReceipt>
  /** Keeps what a model never gets. */
  appendCustom(customType: string, data?: JsonValue, options?: WriteOptions): Promise<EntryReceipt>
  /** Says something that a model gets as a user's message. */
  appendCustomMessage(message: CustomMessage, options?: WriteOptions): Promise<EntryReceipt>
}

/** What an extension tells a model. Source: pi-coding-agent, `custom_message` */
export interface CustomMessage {
  readonly customType: string
  readonly content: NonNullable<Message['content']>
  /** Whether a person sees it. Default true. */
  readonly display?: boolean
  readonly details?: JsonObject
}
