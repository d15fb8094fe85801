import type { ChannelVersion } from './langgraph-types.ts'

/** A namespace of a thread. */
export interface Namespace {
  readonly thread: string
  readonly ns: string
}

/** Where a checkpoint is. */
export interface CheckpointPlace extends Namespace {
  readonly id: string
}

/** Where the value of a channel is: it was stored with the checkpoint of this id. */
export interface ChannelPlace extends CheckpointPlace {
  readonly channel: string
  readonly version: ChannelVersion | undefined
}

// A key is a path: what kind of row it is, the thread, the namespace, … The last name of a checkpoint's key is its id
// as it is, so that the order of the keys is the order of the ids.

/** A name as a part of a path. `decodeURIComponent` undoes it. */
export const escaped = (name: string): string => name.replace(/[%/]/g, encodeURIComponent)
const path = (...names: readonly string[]): string => names.map(escaped).join('/')

/** What the keys of a thread's rows begin with: checkpoints, writes, values of channels. */
export const threadPrefixes = (thread: string): readonly string[] =>
  ['c', 'w', 'b'].map((kind) => `${path(kind, thread)}/`)

/** Says that a thread has checkpoints. */
export const liveKey = (thread: string): string => path('t', thread)

/** Says that a thread is being deleted, which takes more than one commit. */
export const dyingKey = (thread: string): string => path('d', thread)

/** What the keys of checkpoints begin with: of a namespace, of a thread, or of all threads. */
export const checkpointPrefix = (thread?: string, ns?: string): string =>
  thread === undefined ? 'c/' : ns === undefined ? `${path('c', thread)}/` : `${path('c', thread, ns)}/`

export const checkpointKey = ({ thread, ns, id }: CheckpointPlace): string => checkpointPrefix(thread, ns) + id

/** Undoes {@link checkpointKey}. */
export function placeOfKey(key: string): CheckpointPlace {
  const [, thread = '', ns = '', ...id] = key.split('/')
  return { thread: decodeURIComponent(thread), ns: decodeURIComponent(ns), id: id.join('/') }
}

export const writesPrefix = ({ thread, ns, id }: CheckpointPlace): string => `${path('w', thread, ns, id)}/`

export const writeKey = (place: CheckpointPlace, task: string, index: number, piece: number): string =>
  writesPrefix(place) + path(task, String(index), pieceName(piece))

/** What the keys of a channel's values in one version begin with: branches may have different ones. */
export const versionPrefix = (
  { thread, ns }: Namespace,
  channel: string,
  version: ChannelVersion | undefined,
): string => `${path('b', thread, ns, channel, String(version))}/`

export const valueKey = (place: ChannelPlace, piece: number): string =>
  versionPrefix(place, place.channel, place.version) + path(place.id, pieceName(piece))

/** Of the same length, so that pieces are in their order. */
const pieceName = (piece: number): string => String(piece).padStart(6, '0')
