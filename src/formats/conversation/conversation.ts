/**
 * Apps whose exports are conversations, one JSON value or a few lines each. The name begins the keys of their sessions.
 */
const conversationDialects = ['chatgpt', 'claude', 'claude-code', 'open-webui', 'sharegpt', 'openai'] as const

export type ConversationDialect = (typeof conversationDialects)[number]

/**
 * A conversation of another app, in our terms, and nothing in it checked yet: readers say what is there, the writer
 * what can be kept.
 */
export interface Conversation {
  readonly dialect: ConversationDialect
  /**
   * What the source calls it. With the dialect it names the session, so it must be the same whenever the source is
   * read.
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
   * What else is worth keeping, for `custom.<dialect>`. Chosen field by field: settings of other apps hold keys and
   * accounts.
   */
  readonly custom?: Readonly<Record<string, unknown>>
  /** In the order of the source. */
  readonly nodes: readonly ConversationNode[]
  /**
   * Id of the node that the source shows last; default: the last in the list; `null`: none, so that another line stays
   * the head.
   */
  readonly current?: string | null
}

/** One entry of a conversation's tree. */
export interface ConversationNode {
  /**
   * Distinct within the conversation. An id of a message that another conversation has too names another entry there.
   */
  readonly id: string
  /** `null`, or an id nobody has: a root. */
  readonly parentId: string | null
  /** The node it goes on from where nobody has its parent, neither the source nor the session. */
  readonly follows?: string
  /**
   * A root that is another beginning, such as a first question that was asked anew: it goes on from nothing, whatever
   * the session has.
   */
  readonly isBeginning?: true
  /** `message`, `compaction` or any positional type. */
  readonly type: string
  /** As in our entries. Absent: nothing to keep, and what hangs from it hangs from its parent. */
  readonly data?: Readonly<Record<string, unknown>>
  /** Milliseconds since 1970; 0 when the source doesn't say. */
  readonly at: number
  /** Line of the file, where it has lines. */
  readonly line?: number
}

/** Whether files of a dialect hold conversations of this form. */
export function isConversationDialect(dialect: string): dialect is ConversationDialect {
  return (conversationDialects as readonly string[]).includes(dialect)
}
