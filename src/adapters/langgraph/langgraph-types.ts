// What the adapter uses of `@langchain/langgraph-checkpoint`, so that nobody needs its declarations to compile.

/** The version of a channel: a number, or a text in savers that override `getNextVersion`. */
export type ChannelVersion = number | string

/** The state of a graph after a step. */
export interface Checkpoint {
  readonly v: number
  readonly id: string
  readonly channel_values: Readonly<Record<string, unknown>>
  readonly channel_versions: Readonly<Record<string, ChannelVersion>>
}

/** A `RunnableConfig`: only `configurable` is read. */
export interface SaverConfig {
  readonly configurable?: Readonly<Record<string, unknown>>
}

/** Task id, channel and value. */
export type PendingWrite = readonly [string, string, unknown]

export interface CheckpointTuple {
  readonly config: SaverConfig
  readonly checkpoint: Checkpoint
  readonly metadata: Readonly<Record<string, unknown>>
  readonly parentConfig?: SaverConfig
  readonly pendingWrites: readonly PendingWrite[]
}

/** Makes bytes of values, and names what they are. */
export interface Serializer {
  dumpsTyped(value: unknown): Promise<[string, Uint8Array]>
  loadsTyped(type: string, bytes: Uint8Array): Promise<unknown>
}

/** What a saver has from its base class. */
export interface SaverBase {
  serde: Serializer
  getNextVersion(current: undefined): ChannelVersion
}

/**
 * Where `BaseCheckpointSaver` comes from: `@langchain/langgraph-checkpoint`, `@langchain/langgraph` or its `/web`. All
 * of the module may be passed.
 */
export interface SaverModule<Saver extends SaverBase> {
  readonly BaseCheckpointSaver: abstract new (serde?: Serializer) => Saver
  /** The indexes of special writes. Default: those of LangGraph 1. */
  readonly WRITES_IDX_MAP?: Readonly<Record<string, number>>
}

export interface SaverOptions {
  /** The collection that the rows are in. Default `langgraph`. */
  readonly collection?: string
  /** Default: the serializer of the base class. */
  readonly serde?: Serializer
}
