import type { Collection } from '../../client/collection.ts'
import type { RowWrite } from '../../contract/store/collections.ts'
import { cutPieces, joinBytes } from '../byte-pieces.ts'
import { packRecord, unpackRecord } from './byte-record.ts'
import { compareByCodePoint } from './compare-by-code-point.ts'
import type { PendingWrite, Serializer } from './langgraph-types.ts'
import { readRows } from './readable-pages.ts'
import { type CheckpointPlace, writeKey, writesPrefix } from './saver-keys.ts'

/** Says what a stored write is. */
interface WriteHead {
  readonly task: string
  readonly path: string
  readonly index: number
  readonly channel: string
  /** What the serializer called the bytes. */
  readonly type: string
}

/** Writes of special channels have indexes below zero, and replace each other. LangGraph 1 has these. */
const specialIndexes: Readonly<Record<string, number>> = {
  __error__: -1,
  __scheduled__: -2,
  __interrupt__: -3,
  __resume__: -4,
}

/** The rows of writes that a task made. Those that have an index of their own are stored only once. */
export async function rowsOfWrites(
  serde: Serializer,
  place: CheckpointPlace,
  task: string,
  taskPath: string,
  writes: readonly (readonly [string, unknown])[],
  indexes: Readonly<Record<string, number>> = specialIndexes,
): Promise<readonly RowWrite[]> {
  const rows = await Promise.all(
    writes.map(async ([channel, value], i) => {
      const [type, bytes] = await serde.dumpsTyped(value)
      const index = Object.hasOwn(indexes, channel) ? indexes[channel]! : i
      const head = { task, path: taskPath, index, channel, type }
      return cutPieces(packRecord(head, [bytes])).map(
        (value, piece): RowWrite => ({
          type: index < 0 ? 'put' : 'insertIfAbsent',
          key: writeKey(place, task, index, piece),
          value,
        }),
      )
    }),
  )
  return rows.flat()
}

/** The writes of a checkpoint, in the order in which the graph applies them: by path of the task, task and index. */
export async function readWrites(
  collection: Collection,
  serde: Serializer,
  place: CheckpointPlace,
): Promise<readonly PendingWrite[]> {
  const records = new Map<string, Uint8Array[]>()
  for await (const { key, value } of readRows(collection, { prefix: writesPrefix(place) })) {
    const write = key.slice(0, key.lastIndexOf('/'))
    records.set(write, [...(records.get(write) ?? []), value as Uint8Array])
  }
  const writes = [...records].map(([key, pieces]) => unpackRecord<WriteHead>(joinBytes(pieces), key))
  writes.sort(
    ({ value: a }, { value: b }) =>
      compareByCodePoint(a.path, b.path) || compareByCodePoint(a.task, b.task) || a.index - b.index,
  )
  return Promise.all(
    writes.map(
      async ({ value: { task, channel, type }, bodies }): Promise<PendingWrite> => [
        task,
        channel,
        await serde.loadsTyped(type, bodies[0]!),
      ],
    ),
  )
}
