import type { Collection } from '../../client/collection.ts'
import type { JsonValue } from '../../contract/json.ts'
import type { CollectionRow, RowWrite } from '../../contract/store/collections.ts'
import { cutPieces, joinBytes } from '../byte-pieces.ts'
import { damaged, packRecord, unpackRecord } from './byte-record.ts'
import type { ChannelVersion, Checkpoint, CheckpointTuple, Serializer } from './langgraph-types.ts'
import { readWrites } from './pending-writes.ts'
import { removeThread } from './remove-thread.ts'
import {
  type CheckpointPlace,
  checkpointKey,
  dyingKey,
  liveKey,
  placeOfKey,
  valueKey,
  versionPrefix,
} from './saver-keys.ts'

/** The channel of what is sent to nodes. Until version 4, checkpoints had it among the writes of their parent. */
const tasks = '__pregel_tasks'

/** A channel of a checkpoint, its version, and where its value is: with which checkpoint, in how many pieces. */
type StoredChannel = readonly [
  channel: string,
  version: ChannelVersion | null,
  id: string,
  type: string,
  pieceCount: number,
]

interface CheckpointHead {
  readonly parent?: string
  /** What the serializer called the bytes of the checkpoint and of the metadata. */
  readonly types: readonly [string, string]
  readonly channels: readonly StoredChannel[]
}

/** A checkpoint as its row has it. */
export interface StoredCheckpoint {
  readonly place: CheckpointPlace
  readonly head: CheckpointHead
  /** Of the checkpoint without its channel values, and of the metadata. */
  readonly bodies: readonly Uint8Array[]
}

export function checkpointOfRow({ key, value }: CollectionRow): StoredCheckpoint {
  const { value: head, bodies } = unpackRecord<CheckpointHead>(value, key)
  return { place: placeOfKey(key), head, bodies }
}

export const metadataOf = ({ head, bodies }: StoredCheckpoint, serde: Serializer): Promise<unknown> =>
  serde.loadsTyped(head.types[1], bodies[1]!)

export const configOf = ({ thread, ns, id }: CheckpointPlace) => ({
  configurable: { thread_id: thread, checkpoint_ns: ns, checkpoint_id: id },
})

/** All that belongs to a checkpoint; `undefined` when its thread was deleted after the row was read. */
export async function tupleOf(
  collection: Collection,
  serde: Serializer,
  stored: StoredCheckpoint,
): Promise<CheckpointTuple | undefined> {
  const { place, head, bodies } = stored
  const pendingWrites = await readWrites(collection, serde, place)
  const keys = head.channels.map((channel) => keysOfValue(place, channel))
  // Last and in one read: if the checkpoint still exists here, then the writes were read while it did.
  const [dying, row, ...found] = await collection.getAll([dyingKey(place.thread), checkpointKey(place), ...keys.flat()])
  if (dying !== undefined) await removeThread(collection, place.thread)
  if (dying !== undefined || row === undefined) return undefined
  const values = new Map<string, Promise<unknown>>()
  let at = 0
  for (const [i, [channel, , , type]] of head.channels.entries()) {
    const pieces = found.slice(at, (at += keys[i]!.length))
    const missing = pieces.indexOf(undefined)
    if (missing >= 0) throw damaged(keys[i]![missing]!, `has a value of the checkpoint "${place.id}", and is missing`)
    values.set(channel, serde.loadsTyped(type, joinBytes(pieces as Uint8Array[])))
  }
  const loaded = (await serde.loadsTyped(head.types[0], bodies[0]!)) as Checkpoint
  const channels = await Promise.all([...values].map(async ([channel, value]) => [channel, await value] as const))
  const whole = { ...loaded, channel_values: Object.fromEntries(channels) }
  const parent = head.parent === undefined ? undefined : { ...place, id: head.parent }
  return {
    config: configOf(place),
    checkpoint: whole.v < 4 && parent !== undefined ? await withSends(collection, serde, whole, parent) : whole,
    metadata: (await metadataOf(stored, serde)) as Readonly<Record<string, unknown>>,
    pendingWrites,
    ...(parent !== undefined && { parentConfig: configOf(parent) }),
  }
}

const keysOfValue = (place: CheckpointPlace, [channel, version, id, , count]: StoredChannel): readonly string[] =>
  Array.from({ length: count }, (_, piece) => valueKey({ ...place, id, channel, version: version ?? undefined }, piece))

/** Gives an old checkpoint what was sent before it, as newer ones have it. */
async function withSends(
  collection: Collection,
  serde: Serializer,
  checkpoint: Checkpoint,
  parent: CheckpointPlace,
): Promise<Checkpoint> {
  const sends = (await readWrites(collection, serde, parent)).flatMap(([, channel, value]) =>
    channel === tasks ? [value] : [],
  )
  const versions = Object.values(checkpoint.channel_versions)
  return {
    ...checkpoint,
    channel_values: { ...checkpoint.channel_values, [tasks]: sends },
    channel_versions: { ...checkpoint.channel_versions, [tasks]: versions.length === 0 ? 1 : versions.reduce(newer) },
  }
}

const newer = (one: ChannelVersion, other: ChannelVersion): ChannelVersion =>
  (typeof one === 'number' && typeof other === 'number' ? one - other : String(one).localeCompare(String(other))) >= 0
    ? one
    : other

/**
 * Stores a checkpoint in one commit. Values of channels that did not change stay where they are, and the new row says
 * where that is.
 */
export async function storeCheckpoint(
  collection: Collection,
  serde: Serializer,
  place: CheckpointPlace,
  parent: string | undefined,
  checkpoint: Checkpoint,
  metadata: unknown,
  newVersions: Readonly<Record<string, ChannelVersion>>,
): Promise<void> {
  const { channel_values: values, ...rest } = checkpoint
  const [[type, bytes], [metadataType, metadataBytes]] = await Promise.all([
    serde.dumpsTyped(rest),
    serde.dumpsTyped(metadata),
  ])
  for (;;) {
    const known = await channelsOf(collection, place, parent)
    const channels: StoredChannel[] = []
    const rows: RowWrite[] = []
    let isAlone = true
    for (const [channel, value] of Object.entries(values)) {
      const version = checkpoint.channel_versions[channel] ?? newVersions[channel]
      if (!Object.hasOwn(newVersions, channel)) {
        const kept = known.find(([name, stored]) => name === channel && stored === version)
        if (kept !== undefined) {
          channels.push(kept)
          isAlone = false
          continue
        }
        // Without a parent, a value that is not new is one that another checkpoint of the thread has, as in a copy of
        // the first one; or else the caller does not want it stored.
        if (parent === undefined && !(await isStored(collection, place, channel, version))) continue
      }
      const [valueType, valueBytes] = await serde.dumpsTyped(value)
      const pieces = cutPieces(valueBytes)
      channels.push([channel, version ?? null, place.id, valueType, pieces.length])
      for (const [piece, value] of pieces.entries())
        rows.push({ type: 'put', key: valueKey({ ...place, channel, version }, piece), value })
    }
    const head = { ...(parent !== undefined && { parent }), types: [type, metadataType], channels }
    const [isFirst] = await collection.write([
      { type: 'insertIfAbsent', key: liveKey(place.thread), value: true },
      { type: 'put', key: checkpointKey(place), value: packRecord(head as JsonValue, [bytes, metadataBytes]) },
      ...rows,
    ])
    // If this is the first row of the thread, but others are needed, then somebody deleted the thread in between. The
    // checkpoint is stored again, with all its values.
    if (isAlone || !isFirst) return
  }
}

/** Where a parent has its channels. None, if there is no parent any more. */
async function channelsOf(
  collection: Collection,
  place: CheckpointPlace,
  parent: string | undefined,
): Promise<readonly StoredChannel[]> {
  const parentKey = checkpointKey({ ...place, id: parent ?? place.id })
  const [dying, row] = await collection.getAll([dyingKey(place.thread), parentKey])
  if (dying !== undefined) await removeThread(collection, place.thread)
  if (dying !== undefined || row === undefined || parent === undefined) return []
  return checkpointOfRow({ key: parentKey, value: row }).head.channels
}

async function isStored(
  collection: Collection,
  place: CheckpointPlace,
  channel: string,
  version: ChannelVersion | undefined,
): Promise<boolean> {
  const { rows } = await collection.range({ prefix: versionPrefix(place, channel, version), limit: 1 })
  return rows.length > 0
}
