import type { SessionClient } from '../../client/client-contract.ts'
import type { Collection } from '../../client/collection.ts'
import { SessionError } from '../../contract/errors.ts'
import type { RowRange } from '../../contract/store/collections.ts'
import { isSameJson } from './is-same-json.ts'
import type {
  ChannelVersion,
  Checkpoint,
  CheckpointTuple,
  SaverBase,
  SaverConfig,
  SaverModule,
  SaverOptions,
  Serializer,
} from './langgraph-types.ts'
import { rowsOfWrites } from './pending-writes.ts'
import { readPage, readRows } from './readable-pages.ts'
import { finishRemoval, removeThread } from './remove-thread.ts'
import { checkpointKey, checkpointPrefix, placeOfKey } from './saver-keys.ts'
import { checkpointOfRow, configOf, metadataOf, storeCheckpoint, tupleOf } from './stored-checkpoint.ts'

/** Checkpoints of a page. Their values are read one checkpoint at a time. */
const pageSize = 50

interface ListOptions {
  readonly limit?: number
  readonly before?: SaverConfig
  readonly filter?: Readonly<Record<string, unknown>>
}

/**
 * A checkpoint saver of LangGraph over a collection: what a graph does survives a reload, and all tabs see it. Threads
 * are no sessions, so no list, search or retention has them.
 *
 * @example
 * const checkpointer = createSaver(client, { BaseCheckpointSaver })
 * const graph = builder.compile({ checkpointer })
 * await graph.invoke(input, { configurable: { thread_id: 'thread-1' } })
 *
 * @param module - the base class, or the whole module that has it
 * @throws (its methods) SessionError: InvalidInput for a config without `thread_id`, ChecksumMismatch for rows that
 *   can't be read, QuotaExceeded, TooLarge
 */
export function createSaver<Saver extends SaverBase>(
  client: Pick<SessionClient, 'collection'>,
  module: SaverModule<Saver>,
  options: SaverOptions = {},
): Saver {
  const collection = client.collection(options.collection ?? 'langgraph')
  const Base: abstract new (serde?: Serializer) => SaverBase = module.BaseCheckpointSaver

  class KeepsessionSaver extends Base {
    async getTuple(config: SaverConfig): Promise<CheckpointTuple | undefined> {
      const { thread, ns, id } = placeOf(config)
      if (thread === undefined) return undefined
      const range: RowRange = id === undefined ? newestOf(thread, ns) : rangeOf(thread, ns, id)
      const [row] = (await readPage(collection, range)).rows
      if (row !== undefined) return tupleOf(collection, this.serde, checkpointOfRow(row))
      await finishRemoval(collection, thread)
      return undefined
    }

    list(config: SaverConfig, listOptions: ListOptions = {}): AsyncGenerator<CheckpointTuple, void> {
      return listTuples(collection, this.serde, config, listOptions)
    }

    async put(
      config: SaverConfig,
      checkpoint: Checkpoint,
      metadata: unknown,
      newVersions: Readonly<Record<string, ChannelVersion>>,
    ): Promise<SaverConfig> {
      const { thread, ns, id: parent } = placeOf(config)
      const place = { thread: required(thread, 'thread_id'), ns, id: required(checkpoint.id, 'checkpoint_id') }
      await storeCheckpoint(collection, this.serde, place, parent, checkpoint, metadata, newVersions)
      return configOf(place)
    }

    async putWrites(
      config: SaverConfig,
      writes: readonly (readonly [string, unknown])[],
      taskId: string,
      taskPath = '',
    ): Promise<void> {
      const { thread, ns, id } = placeOf(config)
      const place = { thread: required(thread, 'thread_id'), ns, id: required(id, 'checkpoint_id') }
      const { WRITES_IDX_MAP } = module
      await collection.write(await rowsOfWrites(this.serde, place, taskId, taskPath, writes, WRITES_IDX_MAP))
    }

    async deleteThread(threadId: string): Promise<void> {
      await removeThread(collection, required(threadId, 'thread_id'))
    }
  }

  return new KeepsessionSaver(options.serde) as SaverBase as Saver
}

/** Which thread, namespace and checkpoint a config names. @throws InvalidInput when one of them is no text */
function placeOf({ configurable = {} }: SaverConfig): {
  thread: string | undefined
  ns: string
  id: string | undefined
} {
  // Before LangGraph 0.2, `checkpoint_id` was called `thread_ts`.
  const { thread_id: thread, checkpoint_ns: ns, checkpoint_id: id, thread_ts: ts } = configurable
  return {
    thread: textOf(thread, 'thread_id'),
    ns: textOf(ns, 'checkpoint_ns') ?? '',
    id: textOf(id || ts || undefined, 'checkpoint_id'),
  }
}

function textOf(value: unknown, name: string): string | undefined {
  if (value === undefined || (typeof value === 'string' && (value !== '' || name === 'checkpoint_ns'))) return value
  throw notText(name, value === '' ? 'an empty one' : typeof value)
}

function required(value: unknown, name: string): string {
  const text = textOf(value, name)
  if (text === undefined) throw notText(name, 'none')
  return text
}

const notText = (name: string, found: string): SessionError =>
  new SessionError('InvalidInput', `configurable.${name} must be a text, got ${found}. Nothing was written.`)

const newestOf = (thread: string, ns: string): RowRange => ({
  prefix: checkpointPrefix(thread, ns),
  reverse: true,
  limit: 1,
})

/** Covers one checkpoint. No key lies between a key and the same key with a zero behind it. */
function rangeOf(thread: string, ns: string, id: string): RowRange {
  const key = checkpointKey({ thread, ns, id })
  return { from: key, to: `${key}\0` }
}

/** The checkpoints of a namespace, of a thread or of all threads, the newest first, read as they are asked for. */
async function* listTuples(
  collection: Collection,
  serde: Serializer,
  config: SaverConfig,
  { limit = Number.POSITIVE_INFINITY, before, filter }: ListOptions,
): AsyncGenerator<CheckpointTuple, void> {
  const { thread, id } = placeOf(config)
  const ns = config.configurable?.['checkpoint_ns'] === undefined ? undefined : placeOf(config).ns
  const end = before && placeOf(before).id
  const isNarrow = thread !== undefined && ns !== undefined
  const range: RowRange = {
    prefix: checkpointPrefix(thread, isNarrow ? ns : undefined),
    ...(isNarrow && end !== undefined && { to: checkpointKey({ thread, ns, id: end }) }),
    ...(isNarrow && id !== undefined && rangeOf(thread, ns, id)),
    reverse: true,
    limit: filter === undefined ? Math.ceil(Math.min(limit, pageSize)) : pageSize,
  }
  let left = limit
  if (left <= 0) return
  for await (const row of readRows(collection, range)) {
    const place = placeOfKey(row.key)
    if ((ns !== undefined && place.ns !== ns) || (id !== undefined && place.id !== id)) continue
    if (end !== undefined && place.id >= end) continue
    const stored = checkpointOfRow(row)
    const metadata = (await metadataOf(stored, serde)) as Readonly<Record<string, unknown>>
    if (!Object.entries(filter ?? {}).every(([key, value]) => isSameJson(metadata[key], value))) continue
    const tuple = await tupleOf(collection, serde, stored)
    if (tuple === undefined) continue
    yield tuple
    if (--left <= 0) return
  }
}
