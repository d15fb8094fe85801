import { type Doc, parseUpdateMeta } from 'yjs'
import type { Entry, SequenceRanges, VersionVector } from '../contract/entry.ts'
import type { SessionStore } from '../contract/store/session-store.ts'
import type { TermOptions } from '../contract/term.ts'
import { entryId, writerKey } from '../domain/address.ts'
import { pushAll } from '../domain/push-all.ts'
import { commonRanges, covers, joinRanges, withoutRanges } from '../domain/version-vector.ts'
import type { BlobExchange } from './blob-exchange.ts'
import type { ElementCodec } from './element-codec.ts'
import { examineContent } from './examine-content.ts'
import { ingest, type Refusal } from './ingest.ts'
import { createProjection } from './projection.ts'
import { readUpdate, type UpdateContent } from './read-update.ts'
import { readWholeLog } from './read-whole-log.ts'
import { createTaskQueue } from './task-queue.ts'
import { toVector } from './to-vector.ts'

/** The result of taking in an update from elsewhere. */
export interface ReceiveReport {
  /** Entries that were stored now. */
  readonly added: number
  readonly known: number
  /** What was not accepted, and why. Nothing of it was stored. */
  readonly quarantined: readonly Refusal[]
  /**
   * How many entries were sealed with a key that is not here. They were neither stored nor refused: the state vector
   * still asks for them.
   */
  readonly sealed: number
  /** Whether something before it is missing: ask the other side again. */
  readonly hasGap: boolean
  /** How far the sender is with the writers of this update. */
  readonly theirs: VersionVector
  /** Why the store accepted nothing (more). Nothing is lost: the state vector still asks for it. */
  readonly error?: Error
}

export interface SyncDocumentOptions extends TermOptions {
  readonly store: Pick<SessionStore, 'changes' | 'merge' | 'flush'>
  /** Key of the session. */
  readonly key: string
  /** Name of the document. */
  readonly name: string
  readonly elements: ElementCodec
  /**
   * What was purged before the session was restarted: the document has holes in its place, whatever was there before.
   * Later entries of those writers belong to the purged session, too, and are not accepted.
   */
  readonly erased?: VersionVector | undefined
  /** Copies the blobs that entries name. */
  readonly blobs?: Pick<BlobExchange, 'send' | 'fetch'>
}

/** A session while it is synced: its log in the store, and the document that is made of it. */
export interface SyncDocument {
  readonly doc: Doc
  /** How far each writer is in the document. */
  vector(): VersionVector
  /** Takes in an update from elsewhere: it is checked, stored, then projected. Never rejects. */
  receive(update: Uint8Array, origin: unknown): Promise<ReceiveReport>
  /**
   * Puts new entries of the log into the document, from which a transport sends them on. First they are made safe from
   * power loss: if this device lost entries that others have seen, its next entries would have the same addresses.
   *
   * @returns how many entries; none where an earlier call has not started yet and takes them along
   */
  publish(): Promise<number>
  /** Resolves when nothing is under way any more. */
  close(): Promise<void>
}

/** Reads a session's log and projects it. */
export async function openSyncDocument({
  store,
  key,
  name,
  elements,
  erased = {},
  blobs,
  term,
}: SyncDocumentOptions): Promise<SyncDocument> {
  const projection = createProjection(name)
  let purged: SequenceRanges = Object.fromEntries(Object.entries(erased).map(([writer, next]) => [writer, [[0, next]]]))
  // One after the other: entries that were just stored from elsewhere must not be published as new ones of ours.
  const tasks = createTaskQueue()

  /**
   * @param announced - the part of the holes that purges explain which came too early
   * @param sent - the content that entries arrived as: an entry has only one valid form
   */
  const project = async (
    entries: readonly Entry[],
    origin: unknown,
    announced: SequenceRanges = {},
    sent?: ReadonlyMap<Entry, unknown>,
  ): Promise<void> => {
    purged = joinRanges(purged, rangesPurged(entries))
    const contents = await Promise.all(entries.map((entry) => sent?.get(entry) ?? elements.write(entry)))
    projection.add(
      entries.map(({ w, s }, i) => ({ w, s, content: contents[i] })),
      joinRanges(purged, announced),
      origin,
    )
  }

  const asStored = async (entries: readonly Entry[], since: VersionVector): Promise<readonly Entry[]> => {
    const asked = new Set(entries.map(({ w, s }) => entryId(w, s)))
    return (await readWholeLog(store, key, since)).filter(({ w, s }) => asked.has(entryId(w, s)))
  }

  let nextPublish: Promise<number> | undefined
  const publish = async (): Promise<number> => {
    nextPublish = undefined
    const entries = await readWholeLog(store, key, projection.vector())
    if (entries.length === 0) return 0
    await Promise.all([store.flush(), blobs?.send(entries)])
    await project(entries, undefined)
    // Entries behind one that is lost here have no place in the document.
    const vector = projection.vector()
    return entries.filter(({ w, s }) => covers(vector, w, s)).length
  }

  const receive = async (update: Uint8Array, origin: unknown): Promise<ReceiveReport> => {
    let content: UpdateContent
    try {
      content = readUpdate(update)
    } catch (error) {
      return { ...nothing, quarantined: [{ reason: `it is not an update (${(error as Error).message})` }] }
    }
    // The sender has even what is of a kind that is not read here.
    const theirs = content.refused.length === 0 ? endsOf(content) : toVector(parseUpdateMeta(update).to)
    const vector = projection.vector()
    const { contents, known, sealed, holes, ...examined } = await examineContent(content, {
      projection,
      elements,
      erased,
    })
    const quarantined = [...examined.quarantined]
    const entries = [...contents.keys()]
    try {
      const { added, refused, waiting } = await ingest(store, key, entries, term)
      pushAll(quarantined, refused)
      const out = new Set([...refused, ...waiting].map(({ id }) => id))
      const accepted = entries.filter(({ w, s }) => !out.has(entryId(w, s)))
      const others = accepted.length - added
      blobs?.fetch(accepted)
      const early = new Set(waiting.map(({ id }) => id))
      const earlyPurges = rangesPurged(entries.filter(({ w, s }) => early.has(entryId(w, s))))
      const announced = commonRanges(holes, earlyPurges)
      // Entries that another tab stored first are projected as the log has them.
      await project(others === 0 ? accepted : await asStored(accepted, vector), origin, announced, contents)
      pushAll(quarantined, strayHoles(holes, joinRanges(purged, announced)))
      return { added, known: known + others, quarantined, sealed, hasGap: waiting.length > 0, theirs }
    } catch (error) {
      return { ...nothing, known, quarantined, sealed, error: error as Error }
    }
  }

  projection.add([], purged, undefined)
  await publish()
  return {
    doc: projection.doc,
    vector: projection.vector,
    receive: (update, origin) => tasks.run(() => receive(update, origin)),
    publish: () => (nextPublish === undefined ? (nextPublish = tasks.run(publish)) : nextPublish.then(() => 0)),
    close: async () => {
      await tasks.done()
      projection.destroy()
    },
  }
}

const nothing: ReceiveReport = { added: 0, known: 0, quarantined: [], sealed: 0, hasGap: false, theirs: {} }

function endsOf({ elements, holes }: UpdateContent): VersionVector {
  const ends: Record<string, number> = {}
  for (const [w, , to] of [...elements.map(({ w, s }) => [w, s, s + 1] as const), ...holes])
    ends[writerKey(w)] = Math.max(ends[writerKey(w)] ?? 0, to)
  return ends
}

function rangesPurged(entries: readonly Entry[]): SequenceRanges {
  return entries.reduce<SequenceRanges>(
    (ranges, { type, data }) => (type === 'purge' ? joinRanges(ranges, data['ranges'] as SequenceRanges) : ranges),
    {},
  )
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
