import type { EntryView } from '../../contract/entry.ts'
import type { JobProgress } from '../../contract/job.ts'
import type { Message } from '../../contract/message.ts'
import type { BranchInfo } from '../../contract/meta.ts'
import type { WriteOptions } from '../../contract/store/write-options.ts'

/** How a branch is opened. */
export interface NewBranchOptions extends WriteOptions {
  readonly name?: string
}

/** A branch as a list shows it. */
export interface BranchPreview extends BranchInfo {
  /** The beginning of its first own message, at most 30 characters; `''` when it has none with text. */
  readonly preview: string
  /** Number of its own messages, without those of the lines it forked from. */
  readonly messageCount: number
  /** Milliseconds since 1970 of its newest own entry; of its opening if there is none. */
  readonly lastActivity: number
}

/** One of the lines that continue after a fork. */
export interface ForkChoice<M extends object = Message> {
  /** The branch that the line begins with. */
  readonly branch: string
  /** The line to switch to: the head if it includes this choice, otherwise the newest line that does. */
  readonly line: string
  /** The first message after the fork; absent when there is none yet. */
  readonly first?: EntryView<M>
  /** The beginning of that message, at most 30 characters. */
  readonly preview: string
}

/** A place where lines fork. */
export interface TreeFork<M extends object = Message> {
  /** Id of the place, which is the same on every line. */
  readonly id: string
  /** The last entry that the lines share; an empty order means the start. */
  readonly at: { readonly branch: string; readonly order: string }
  /** The original line first, then the branches, oldest first. */
  readonly choices: readonly ForkChoice<M>[]
  /**
   * Index of the choice on the head line: "2 of 3" is 1; −1 if the head does not include this place. The switcher
   * belongs to the entry `choices[shown].first`.
   */
  readonly shown: number
}

/** How the lines of a session are connected. */
export interface SessionTree<M extends object = Message> {
  readonly head: string
  readonly forks: readonly TreeFork<M>[]
}

/** What a merge of branches did. */
export interface BranchMerge {
  /** The line that was appended to. */
  readonly branch: string
  /** Entries that were copied. */
  readonly added: number
}

export interface CopyOptions {
  /** Key of the new session, so that the call is safe to repeat. Default: a new one. */
  readonly key?: string
  /** Ends the work. What is stored of a long copy by then stays if `key` was given, because the same call completes it. */
  readonly signal?: AbortSignal
  readonly onProgress?: (progress: JobProgress) => void
}
