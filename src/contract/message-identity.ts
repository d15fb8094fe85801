import type { SessionScope } from './scope.ts'

/** What can set conversations apart, besides agent, channel and account. Source: PicoClaw. */
export type Dimension = 'space' | 'chat' | 'topic' | 'sender'

/**
 * Where a message comes from. Ids are texts of any characters; case and outer white space don't count. Only what names
 * a conversation is read: whatever else the object carries is left alone. Source: PicoClaw's inbound context.
 */
export interface InboundContext {
  /** `web`, `telegram`, …; default `unknown`. */
  readonly channel?: string
  /** Which of the app's own accounts on the channel; default `default`. */
  readonly account?: string
  readonly chatId?: string
  /** `direct`, `group` or `channel`; counts as `direct` where it is missing. */
  readonly chatType?: string
  /** A thread or forum topic inside the chat. */
  readonly topicId?: string
  /** What the chat lies in: a workspace, a guild. */
  readonly spaceId?: string
  /** Default `space`. */
  readonly spaceType?: string
  readonly senderId?: string
  /** Whether the message calls the agent by name. */
  readonly mentioned?: boolean
}

/** {@link InboundContext} in PicoClaw's own spelling, as its messages and logs carry it. */
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
 * Which ids are one person: canonical names, each with its ids (`telegram:111`, or bare `111`). An id under two names
 * belongs to the first. An object has its keys in order of insertion, except that JavaScript puts whole numbers first;
 * a list of pairs keeps any order.
 */
export type IdentityLinks =
  | Readonly<Record<string, readonly string[]>>
  | readonly (readonly [name: string, ids: readonly string[]])[]

/** What the sessions of an agent are set apart by. */
export interface SessionPolicy {
  /**
   * In this order, which is part of the key. Default `['chat']`. Empty or `null`: one session for each channel and
   * account.
   */
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
   * Names the session had before keys were opaque. Several sessions may have one in common: its first owner keeps it.
   */
  readonly sessionAliases: readonly string[]
  /** Key of the agent's main session. */
  readonly mainSessionKey: string
  readonly mainAliases: readonly string[]
  /**
   * Key that the direct chats of a linked sender share, whatever their channel and account; only where the policy asks
   * for it. For `resolveScopeKey`, in the place of a key that the message came with. Moves nothing that is stored. Not
   * in PicoClaw, whose keys always set channels apart.
   */
  readonly identityKey?: string
}

/** Where a message comes from, and what it says about its session itself. */
export interface InboundMessage extends InboundContext {
  /** The agent that answers, whatever the rules say. Absent or blank: they decide. */
  readonly agentId?: string
  /**
   * The key the message came with. One that names a session by itself (`sk_v1_…`, `agent:…`) is taken as it is; any
   * other becomes an alias.
   */
  readonly sessionKey?: string
}

/** {@link InboundMessage} in PicoClaw's own spelling. */
export interface PicoclawMessage extends PicoclawContext {
  readonly agentId?: string
  readonly session_key?: string
}

/** How a message got its session. */
export interface MessageIdentity {
  readonly agentId: string
  /** As in {@link Route}. */
  readonly matchedBy: string
  /** What the message's session is shared by. */
  readonly scope: SessionScope
  /** Key of that scope. */
  readonly scopeKey: string
  /** Key the message goes to: that of the scope, of the linked identity, or the one it came with. */
  readonly key: string
  /** Its other names, in order. */
  readonly aliases: readonly string[]
}

/** A key of the old form `agent:<agent>:<rest>`, in its parts as they were written. */
export interface LegacyKey {
  readonly agentId: string
  readonly rest: string
}

/**
 * What a message must be like for a rule to apply: every field that is given must equal the message's, case and outer
 * white space aside. An absent one takes any message.
 */
export interface DispatchSelector {
  readonly channel?: string
  readonly account?: string
  /** `<type>:<id>`, such as `workspace:t001`; the type is `space` where the message has none. */
  readonly space?: string
  /** `<type>:<id>`, such as `group:-100123`, without a topic; the type is `direct` where the message has none. */
  readonly chat?: string
  /** `topic:<id>` */
  readonly topic?: string
  /** The sender's canonical name where identity links give one, otherwise the id. */
  readonly sender?: string
  readonly mentioned?: boolean | null
}

export interface DispatchRule {
  /** Shown in {@link Route.matchedBy}. */
  readonly name?: string
  /** The agent that answers. Absent, or not in the list of agents: the default one. */
  readonly agent?: string
  readonly when?: DispatchSelector
  /** Takes the place of the session's dimensions, unless empty. */
  readonly session_dimensions?: readonly string[] | null
}

/**
 * The parts of PicoClaw's config.json that say whose session a message belongs to, in its own names: one file serves
 * both.
 */
export interface RoutingConfig {
  readonly agents?: {
    /**
     * The agents there are. Empty: a rule may name any. The default is the first marked so, else the first, else
     * `main`.
     */
    readonly list?: readonly { readonly id: string; readonly default?: boolean }[] | null
    /** Tried in order, the first that applies wins. One without any constraint never applies. */
    readonly dispatch?: { readonly rules?: readonly DispatchRule[] | null } | null
  } | null
  readonly session?: {
    /** Default `['chat']`. */
    readonly dimensions?: readonly string[] | null
    /**
     * The older setting: `per-channel-peer`, `per-channel`, `per-peer` or `global`. Counts where `dimensions` has none.
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
  /** In lower case; `''` where the message names none. */
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
