import { parseUpdateMeta } from 'yjs'
import type { Entry, SequenceRanges, VersionVector } from '../contract/entry.ts'
import { entryId, writerKey } from '../domain/address.ts'
import { pushAll } from '../domain/push-all.ts'
import { commonRanges, joinRanges, withoutRanges } from '../domain/version-vector.ts'
import { behindRefused } from './behind-refused.ts'
import { type ExaminedContent, examineContent } from './examine-content.ts'
import { type IngestResult, ingest, type Refusal } from './ingest.ts'
import { type LogProjection, rangesPurged } from './log-projection.ts'
import { readUpdate, type UpdateContent } from './read-update.ts'
import { readWholeLog } from './read-whole-log.ts'
import type { ReceiveReport } from './receive-report.ts'
import type { SyncDocumentOptions } from './sync-document-options.ts'
import { toVector } from './to-vector.ts'

/** Takes in an update from elsewhere: it is checked, stored, then projected. Never rejects. */
export async function receiveUpdate(
  update: Uint8Array,
  origin: unknown,
  projection: LogProjection,
  options: SyncDocumentOptions,
): Promise<ReceiveReport> {
  const { elements, erased = {} } = options
  let content: UpdateContent
  try {
    content = readUpdate(update)
  } catch (error) {
    return { ...nothing, quarantined: [{ reason: `it is not an update (${(error as Error).message})` }] }
  }
  // The sender has even what is of a kind that is not read here.
  const theirs = content.refused.length === 0 ? endsOf(content) : toVector(parseUpdateMeta(update).to)
  const { known, sealed, ...examined } = await examineContent(content, { projection, elements, erased })
  const quarantined = [...examined.quarantined]
  const refuse = (refused: readonly Refusal[]): void => pushAll(quarantined, refused)
  try {
    const { added, others, hasGap } = await storeAndProject(examined, origin, projection, options, refuse)
    return { added, known: known + others, quarantined, sealed, hasGap, theirs }
  } catch (error) {
    return { ...nothing, known, quarantined, sealed, error: error as Error }
  }
}

/** Stores entries that were found valid, and projects what the store has accepted. */
async function storeAndProject(
  { contents, holes, quarantined }: Pick<ExaminedContent, 'contents' | 'holes' | 'quarantined'>,
  origin: unknown,
  projection: LogProjection,
  options: SyncDocumentOptions,
  refuse: (refused: readonly Refusal[]) => void,
): Promise<{
  readonly added: number
  /** How many of them were stored by another tab in the meantime. */
  readonly others: number
  readonly hasGap: boolean
}> {
  const { store, key, blobs } = options
  const vector = projection.vector()
  const entries = [...contents.keys()]
  const { added, refused, waiting } = await ingestAll(entries, quarantined, projection, options)
  refuse(refused)
  const out = new Set([...refused, ...waiting].map(({ id }) => id))
  const accepted = entries.filter(({ w, s }) => !out.has(entryId(w, s)))
  const others = accepted.length - added
  blobs?.fetch(accepted)
  const early = new Set(waiting.map(({ id }) => id))
  const earlyPurges = rangesPurged(entries.filter(({ w, s }) => early.has(entryId(w, s))))
  const announced = commonRanges(holes, earlyPurges)
  // Entries that another tab stored first are projected as the log has them.
  const asStored = others === 0 ? accepted : await readStored(store, key, accepted, vector)
  await projection.project(asStored, origin, announced, contents)
  refuse(strayHoles(holes, joinRanges(projection.purged(), announced)))
  return { added, others, hasGap: waiting.length > 0 }
}

/**
 * Stores also what waits only for refused entries.
 *
 * @param quarantined - what was refused before
 */
async function ingestAll(
  entries: readonly Entry[],
  quarantined: readonly Refusal[],
  projection: LogProjection,
  { store, key, term }: SyncDocumentOptions,
): Promise<IngestResult> {
  const options = term === undefined ? {} : { term }
  const [vector, purged] = [projection.vector(), projection.purged()]
  const first = await ingest(store, key, entries, options)
  const { waiting } = first
  if (waiting.length === 0) return first
  const behind = behindRefused(entries, { waiting, refused: [...quarantined, ...first.refused], vector, purged })
  if (behind.length === 0) return first
  const second = await ingest(store, key, behind, { ...options, gapsAreLost: true })
  const done = new Set(behind.map(({ w, s }) => entryId(w, s)))
  return {
    added: first.added + second.added,
    refused: [...first.refused, ...second.refused],
    waiting: waiting.filter(({ id }) => !done.has(id!)),
  }
}

/** These entries as the log has them. @param since - what they come after */
async function readStored(
  store: SyncDocumentOptions['store'],
  key: string,
  entries: readonly Entry[],
  since: VersionVector,
): Promise<readonly Entry[]> {
  const asked = new Set(entries.map(({ w, s }) => entryId(w, s)))
  return (await readWholeLog(store, key, since)).filter(({ w, s }) => asked.has(entryId(w, s)))
}

const nothing: ReceiveReport = { added: 0, known: 0, quarantined: [], sealed: 0, hasGap: false, theirs: {} }

function endsOf({ elements, holes }: UpdateContent): VersionVector {
  const ends: Record<string, number> = {}
  for (const [w, , to] of [...elements.map(({ w, s }) => [w, s, s + 1] as const), ...holes])
    ends[writerKey(w)] = Math.max(ends[writerKey(w)] ?? 0, to)
  return ends
}

/** Deletions without a purge: another device has removed entries. */
function strayHoles(holes: SequenceRanges, purged: SequenceRanges): readonly Refusal[] {
  return Object.entries(withoutRanges(holes, purged)).flatMap(([writer, ranges]) =>
    ranges.map(([from, to]) => ({
      id: entryId(Number.parseInt(writer, 36), from),
      reason: `${to - from} entries were deleted elsewhere without a purge`,
    })),
  )
}
