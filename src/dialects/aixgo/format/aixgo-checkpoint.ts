import type { Entry } from '../../../contract/entry.ts'
import { SessionError } from '../../../contract/errors.ts'
import type { JsonObject } from '../../../contract/json.ts'
import { writerKey } from '../../../domain/address.ts'
import { canonicalJson } from '../../../domain/canonical-json.ts'
import { clockStart, laterClock, tick } from '../../../domain/clock.ts'
import { hash53 } from '../../../domain/hash53.ts'
import { normaliseJson } from '../../../domain/normalise.ts'
import { sealEntry } from '../../../domain/seal.ts'
import { createSha256, sha256 } from '../../../domain/sha256.ts'
import { isObject } from '../../../formats/is-plain-object.ts'
import type { FileNode } from '../../../formats/store-tree.ts'
import { timeOf } from '../../../formats/time.ts'

/** A checkpoint of Aixgo in the form of its file. */
export interface AixgoCheckpoint {
  readonly id: string
  readonly sessionId: string
  readonly timestamp: string
  /** `''`: the session was empty. */
  readonly entryId: string
  readonly checksum: string
  readonly metadata?: JsonObject
}

/** Whether a file of Aixgo is a checkpoint. Otherwise it is an index. */
export function isCheckpoint(found: unknown): boolean {
  return isObject(found) && typeof found['sessionId'] === 'string' && typeof found['checksum'] === 'string'
}

/** @throws InvalidInput when it is not a checkpoint */
export function readCheckpoint(found: unknown): AixgoCheckpoint {
  const { value } = normaliseJson(found, { path: 'checkpoint', maxDepth: 200 })
  if (!isObject(value)) throw new SessionError('InvalidInput', 'it contains no checkpoint')
  const { id, sessionId, timestamp, entryId, checksum, metadata } = value as JsonObject
  if (![id, sessionId, timestamp, checksum].every((field) => typeof field === 'string' && field !== ''))
    throw new SessionError('InvalidInput', 'it contains no checkpoint: id, sessionId, timestamp or checksum is missing')
  return {
    id: id as string,
    sessionId: sessionId as string,
    timestamp: timestamp as string,
    checksum: checksum as string,
    entryId: typeof entryId === 'string' ? entryId : '',
    ...(isObject(metadata) ? { metadata: metadata as JsonObject } : {}),
  }
}

/** Source: Aixgo: SHA-256 of the ids of all entries one after the other. */
export function checksumOf(ids: readonly string[]): string {
  return sha256(ids)
}

/** The number of ids that one step hashes. */
const stepIds = 256

/** {@link checksumOf} in steps, so that other work can run in between: yields after every few ids. */
function* checksumInSteps(ids: readonly string[]): Generator<void, string, undefined> {
  const hash = createSha256()
  const encoder = new TextEncoder()
  for (let from = 0; from < ids.length; from += stepIds) {
    hash.update(encoder.encode(ids.slice(from, from + stepIds).join('')))
    yield
  }
  return hash.hex()
}

/** The ids from the root down to an entry. */
export function pathIds(nodes: ReadonlyMap<string, Pick<FileNode, 'parentId'>>, id: string): readonly string[] {
  const path = new Set<string>()
  for (let at: string | null = id; at !== null && nodes.has(at) && !path.has(at); at = nodes.get(at)!.parentId)
    path.add(at)
  return [...path].reverse()
}

/**
 * Turns a checkpoint into an entry, which shows the path to the checkpoint's entry when it is restored. The checksum
 * must be that of the path, or that of the whole log up to this entry: Aixgo has one or the other in memory, depending
 * on whether the session was restored or loaded before.
 *
 * Yields after every few entries, so that other work can run in between.
 *
 * @param byId - the nodes of the log by their ids, in its order
 * @param placeOf - finds the imported entry for an id
 * @throws ChecksumMismatch; InvalidInput when its entry is missing
 */
export function* checkpointEntry(
  source: string,
  checkpoint: AixgoCheckpoint,
  byId: ReadonlyMap<string, FileNode>,
  placeOf: (id: string) => Entry | undefined,
): Generator<void, Entry, undefined> {
  const { id, entryId, checksum, metadata, timestamp } = checkpoint
  const target = entryId === '' ? undefined : placeOf(entryId)
  if (entryId !== '' && (target === undefined || !byId.has(entryId)))
    throw new SessionError('InvalidInput', `its entry ${JSON.stringify(entryId)} is not in the log`)
  const path = entryId === '' ? [] : pathIds(byId, entryId)
  const isOfPath = (yield* checksumInSteps(path)) === checksum
  const ids = isOfPath ? [] : [...byId.keys()]
  if (!isOfPath && (yield* checksumInSteps(ids.slice(0, ids.indexOf(entryId) + 1))) !== checksum)
    throw new SessionError(
      'ChecksumMismatch',
      'its checksum does not match the entries before it: the log was changed, or a part of it is missing',
    )
  const vv: Record<string, number> = {}
  let clock = clockStart
  for (const [i, id] of path.entries()) {
    if (i % stepIds === 0) yield
    const entry = placeOf(id)
    if (entry === undefined) continue
    vv[writerKey(entry.w)] = Math.max(vv[writerKey(entry.w)] ?? 0, entry.s + 1)
    clock = laterClock(clock, entry.clock)
  }
  const aixgo = { timestamp, checksum }
  const data: JsonObject = {
    branch: target?.branch ?? '',
    order: target?.order ?? '',
    vv,
    ...(metadata === undefined ? {} : { metadata }),
    aixgo,
    mid: `checkpoint-${id}`,
  }
  return sealEntry({
    w: hash53(`${source} ${canonicalJson(data)}`),
    s: 0,
    branch: data['branch'] as string,
    type: 'checkpoint',
    data,
    at: timeOf(timestamp) ?? 0,
    clock: tick(clock, 0),
  })
}
