import type { SessionScope } from './scope.ts'

/** What can separate conversations, besides agent, channel and account. Source: PicoClaw. */
export type Dimension = 'space' | 'chat' | 'topic' | 'sender'

/**
 * Where a message comes from. Ids are strings of any characters; case and surrounding white space are ignored. Only
 * fields that identify a conversation are read. Source: PicoClaw's inbound context.
 */
export interface InboundContext {
  /** `web`, `telegram`, …; default `unknown`. */
  readonly channel?: string
  /** Which of the app's own accounts on the channel; default `default`. */
  readonly account?: string
  readonly chatId?: string
  /** `direct`, `group` or `channel`; absent counts as `direct`. */
  readonly chatType?: string
  /** A thread or forum topic inside the chat. */
  readonly topicId?: string
  /** What the chat belongs to: a workspace, a guild. */
  readonly spaceId?: string
  /** Default `space`. */
  readonly spaceType?: string
  readonly senderId?: string
  /** Whether the message calls the agent by name. */
  readonly mentioned?: boolean
}

/** {@link InboundContext} in PicoClaw's own spelling, as in its messages and logs. */
export interface PicoclawContext {
  readonly channel?: string
  readonly account?: string
  readonly chat_id?: string
  readonly chat_type?: string
  readonly topic_id?: string
  readonly space_id?: string
  readonly space_type?: string
  readonly sender_id?: string
  readonly mentioned?: boolean
}

/**
 * Which ids belong to one person: canonical names, each with its ids (`telegram:111`, or just `111`). An id under two
 * names belongs to the first. The keys of an object are in the order of insertion, except that JavaScript puts whole
 * numbers first; a list of pairs keeps any order.
 */
export type IdentityLinks =
  | Readonly<Record<string, readonly string[]>>
  | readonly (readonly [name: string, ids: readonly string[]])[]

/** What separates the sessions of an agent. */
export interface SessionPolicy {
  /** Their order is part of the key. Default `['chat']`. Empty or `null`: one session for each channel and account. */
  readonly dimensions?: readonly string[] | null
  readonly identityLinks?: IdentityLinks | null
  /**
   * Whether a linked sender's direct chats share one session on all channels: see {@link Allocation.identityKey}.
   * Default false.
   */
  readonly acrossChannels?: boolean | null | undefined
}

export interface AllocationInput {
  /** Default `main`. */
  readonly agentId?: string
  readonly context: InboundContext | PicoclawContext
  readonly policy?: SessionPolicy
}

/** The session a message belongs to. Source: PicoClaw, `AllocateRouteSession`. */
export interface Allocation {
  readonly scope: SessionScope
  /** `sk_v1_` and the SHA-256 of the scope's signature. */
  readonly sessionKey: string
  /**
   * Names that the session had before keys were opaque. Several sessions may share a name; the first owner keeps it.
   */
  readonly sessionAliases: readonly string[]
  /** Key of the agent's main session. */
  readonly mainSessionKey: string
  readonly mainAliases: readonly string[]
  /**
   * The key that the direct chats of a linked sender share, whatever their channel and account; only if the policy asks
   * for it. For `resolveScopeKey`, instead of a key that the message came with. It moves nothing that is stored.
   * PicoClaw does not have it: its keys always separate channels.
   */
  readonly identityKey?: string
}

/** Where a message comes from, and what the message itself says about its session. */
export interface InboundMessage extends InboundContext {
  /** The agent that answers, whatever the rules say. Absent or blank: the rules decide. */
  readonly agentId?: string
  /**
   * The key that the message came with. A key that names a session by itself (`sk_v1_…`, `agent:…`) is used as it is;
   * any other becomes an alias.
   */
  readonly sessionKey?: string
}

/** {@link InboundMessage} in PicoClaw's own spelling. */
export interface PicoclawMessage extends PicoclawContext {
  readonly agentId?: string
  readonly session_key?: string
}

/** How the session of a message was found. */
export interface MessageIdentity {
  readonly agentId: string
  /** As in {@link Route}. */
  readonly matchedBy: string
  /** The scope of the message's session. */
  readonly scope: SessionScope
  /** Key of that scope. */
  readonly scopeKey: string
  /** Key of the session: that of the scope, that of the linked identity, or the one the message came with. */
  readonly key: string
  /** Its other names, in order. */
  readonly aliases: readonly string[]
}

/** A key of the old form `agent:<agent>:<rest>`, split into its parts as they were written. */
export interface LegacyKey {
  readonly agentId: string
  readonly rest: string
}

/**
 * What a message must look like for a rule to apply: every given field must equal that of the message, except for case
 * and surrounding white space. An absent field matches any message.
 */
export interface DispatchSelector {
  readonly channel?: string
  readonly account?: string
  /** `<type>:<id>`, such as `workspace:t001`; the type is `space` if the message has none. */
  readonly space?: string
  /** `<type>:<id>`, such as `group:-100123`, without a topic; the type is `direct` if the message has none. */
  readonly chat?: string
  /** `topic:<id>` */
  readonly topic?: string
  /** The canonical name of the sender if identity links give one, otherwise the id. */
  readonly sender?: string
  readonly mentioned?: boolean | null
}

export interface DispatchRule {
  /** Shown in {@link Route.matchedBy}. */
  readonly name?: string
  /** The agent that answers. Absent, or not in the list of agents: the default one. */
  readonly agent?: string
  readonly when?: DispatchSelector
  /** Replaces the session's dimensions, unless empty. */
  readonly session_dimensions?: readonly string[] | null
}

/**
 * The parts of PicoClaw's config.json that decide which session a message belongs to, under their own names: one file
 * serves both.
 */
export interface RoutingConfig {
  readonly agents?: {
    /**
     * The existing agents. Empty: a rule may name any. The default is the first agent marked as default, otherwise the
     * first one, otherwise `main`.
     */
    readonly list?: readonly { readonly id: string; readonly default?: boolean }[] | null
    /** Tried in order; the first rule that applies wins. A rule without any constraint never applies. */
    readonly dispatch?: { readonly rules?: readonly DispatchRule[] | null } | null
  } | null
  readonly session?: {
    /** Default `['chat']`. */
    readonly dimensions?: readonly string[] | null
    /**
     * The older setting: `per-channel-peer`, `per-channel`, `per-peer` or `global`. Used if `dimensions` is not set.
     */
    readonly dm_scope?: string | null
    readonly identity_links?: IdentityLinks | null
    /** As in {@link SessionPolicy.acrossChannels}. PicoClaw doesn't know it. */
    readonly across_channels?: boolean | null
  } | null
}

/** What was decided for a message. Source: PicoClaw, `ResolveRoute`. */
export interface Route {
  readonly agentId: string
  /** In lower case; `''` if the message names none. */
  readonly channel: string
  readonly accountId: string
  /** For `allocateSession`. */
  readonly sessionPolicy: {
    readonly dimensions: readonly Dimension[]
    readonly identityLinks: IdentityLinks
    readonly acrossChannels?: boolean | undefined
  }
  /** `default`, `dispatch.rule`, or `dispatch.rule:<name in lower case>`. */
  readonly matchedBy: string
}
