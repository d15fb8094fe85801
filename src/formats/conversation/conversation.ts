/**
 * Apps whose exports are conversations, one JSON value or a few lines each. The name begins the keys of their sessions.
 */
const conversationDialects = [
  'chatgpt',
  'claude',
  'claude-code',
  'codex',
  'gemini-cli',
  'ai-studio',
  'grok',
  'open-webui',
  'librechat',
  'lm-studio',
  'jan',
  'nextchat',
  'better-chatgpt',
  'sharegpt',
  'ai-sdk',
  'openai',
] as const

export type ConversationDialect = (typeof conversationDialects)[number]

/**
 * A conversation of another app in a common form. Nothing in it is checked yet: readers only convert, and the writer
 * decides what can be stored.
 */
export interface Conversation {
  readonly dialect: ConversationDialect
  /**
   * The id in the source. Together with the dialect it identifies the session, so that it must be the same whenever the
   * source is read.
   */
  readonly sourceId: string
  readonly title?: string
  /** Milliseconds since 1970. */
  readonly createdAt?: number
  /** Milliseconds since 1970. */
  readonly updatedAt?: number
  readonly archived?: boolean
  readonly tags?: readonly string[]
  /**
   * Other metadata for `custom.<dialect>`. Readers choose it field by field, because settings of other apps may contain
   * keys and accounts.
   */
  readonly custom?: Readonly<Record<string, unknown>>
  /** In the order of the source. */
  readonly nodes: readonly ConversationNode[]
  /**
   * Id of the node at the end of the line that the source shows; default: the last in the list; `null`: none, so that
   * another line stays the head.
   */
  readonly current?: string | null
}

/** One entry of a conversation's tree. */
export interface ConversationNode {
  /** Unique within the conversation. The same id in another conversation identifies another entry. */
  readonly id: string
  /** `null`, or an unknown id: a root. */
  readonly parentId: string | null
  /** The node from which it continues if its parent is neither in the source nor in the session. */
  readonly follows?: string
  /**
   * Whether it is another beginning, such as a first question that was edited: it continues from nothing, whatever the
   * session has.
   */
  readonly isBeginning?: true
  /** `message`, `compaction` or any positional type. */
  readonly type: string
  /** The data of the entry. Absent: there is nothing to store, and its children are attached to its parent. */
  readonly data?: Readonly<Record<string, unknown>>
  /** What of it can't be kept, and why: it is reported with the place of the node. */
  readonly leftOut?: string
  /** Milliseconds since 1970; 0 when the source has none. */
  readonly at: number
  /** Line of the file, if it has lines. */
  readonly line?: number
}

/** Whether files of a dialect contain conversations of this form. */
export function isConversationDialect(dialect: string): dialect is ConversationDialect {
  return (conversationDialects as readonly string[]).includes(dialect)
}
