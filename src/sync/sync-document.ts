import { type Doc, parseUpdateMeta } from 'yjs'
import type { Entry, SequenceRanges, VersionVector } from '../contract/entry.ts'
import type { SessionStore } from '../contract/store.ts'
import type { TermOptions } from '../contract/term.ts'
import { entryId, writerKey } from '../domain/address.ts'
import { commonRanges, covers, joinRanges, withoutRanges } from '../domain/version-vector.ts'
import type { BlobExchange } from './blob-exchange.ts'
import type { ElementCodec } from './element-codec.ts'
import { KeyMissing } from './encryption/key-missing.ts'
import { ingest, type Refusal } from './ingest.ts'
import { createProjection } from './projection.ts'
import { readWholeLog } from './read-whole-log.ts'
import { readUpdate, type UpdateContent } from './read-update.ts'
import { sameContent } from './same-content.ts'
import { createTaskQueue } from './task-queue.ts'
import { toVector } from './to-vector.ts'
import { pushAll } from '../domain/push-all.ts'

/** What became of an update from elsewhere. */
export interface ReceiveReport {
  /** Entries that are stored now and were not before. */
  readonly added: number
  readonly known: number
  /** What was not taken, and why. Nothing of it was stored. */
  readonly quarantined: readonly Refusal[]
  /** How many entries were sealed with a key that is not here. Nothing of them was stored or refused: the state vector still asks for them. */
  readonly sealed: number
  /** Whether something before it is missing: ask the other side again. */
  readonly hasGap: boolean
  /** How far the sender is with the writers that the update was about. */
  readonly theirs: VersionVector
  /** Why the store took nothing (any more). Nothing is lost: the state vector still asks for it. */
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
   * What was purged before it was begun anew: it stands in the document as holes, whatever was there before. What those writers wrote behind that is of the
   * one before, too, and not taken.
   */
  readonly erased?: VersionVector | undefined
  /** Carries what entries name. */
  readonly blobs?: Pick<BlobExchange, 'send' | 'fetch'>
}

/** A session while it is being synced: its log in the store, and the document made of it. */
export interface SyncDocument {
  readonly doc: Doc
  /** How far each writer is in the document. */
  vector(): VersionVector
  /** Takes in an update from elsewhere: checked, stored, then projected. Never rejects. */
  receive(update: Uint8Array, origin: unknown): Promise<ReceiveReport>
  /**
   * Puts what the log has got into the document, from where a transport sends it on. First it is made safe from power loss: what others have seen
   * of a writer must never be lost here, or its next entries would come twice.
   *
   * @returns how many entries; none where a call before this one has not begun yet, and takes them along
   */
  publish(): Promise<number>
  /** Settles what is under way. */
  close(): Promise<void>
}

/** Reads a session's log and projects it. */
export async function openSyncDocument({ store, key, name, elements, erased = {}, blobs, term }: SyncDocumentOptions): Promise<SyncDocument> {
  const projection = createProjection(name)
  let purged: SequenceRanges = Object.fromEntries(Object.entries(erased).map(([writer, next]) => [writer, [[0, next]]]))
  // One after the other: what was just stored from elsewhere must not be published as news of ours.
  const tasks = createTaskQueue()

  /**
   * @param announced - what purges that came too early say of what came
   * @param sent - what entries stood in that came: there is one way only to write each
   */
  const project = async (entries: readonly Entry[], origin: unknown, announced: SequenceRanges = {}, sent?: ReadonlyMap<Entry, unknown>): Promise<void> => {
    purged = joinRanges(purged, rangesPurged(entries))
    const contents = await Promise.all(entries.map((entry) => sent?.get(entry) ?? elements.write(entry)))
    projection.add(entries.map(({ w, s }, i) => ({ w, s, content: contents[i] })), joinRanges(purged, announced), origin)
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
    // What stands behind something that is lost here has no place in the document.
    const vector = projection.vector()
    return entries.filter(({ w, s }) => covers(vector, w, s)).length
  }

  const receive = async (update: Uint8Array, origin: unknown): Promise<ReceiveReport> => {
    let content: UpdateContent
    try {
      content = readUpdate(update)
    } catch (error) {
      return { ...nothing, quarantined: [{ reason: `it is no update (${(error as Error).message})` }] }
    }
    // What is of no kind that is read here is there all the same.
    const theirs = content.refused.length === 0 ? endsOf(content) : toVector(parseUpdateMeta(update).to)
    const quarantined: Refusal[] = content.refused.map((reason) => ({ reason }))
    const vector = projection.vector()
    const entries: Entry[] = []
    const contents = new Map<Entry, unknown>()
    const news: UpdateContent['elements'][number][] = []
    let known = 0
    let sealed = 0
    for (const { w, s, content: sent } of content.elements) {
      if (covers(vector, w, s)) {
        known += 1
        const ours = projection.at(w, s)
        if (ours !== undefined && !sameContent(ours, sent)) quarantined.push({ id: entryId(w, s), reason: 'another entry has this address: two devices wrote as one writer' })
        continue
      }
      // On its way when it was purged. Whoever wrote it has it, and keeps it.
      if ((erased[writerKey(w)] ?? 0) > 0) continue
      news.push({ w, s, content: sent })
    }
    // All at once: what opens a sealed one works beside this thread.
    const read = await Promise.all(news.map(({ w, s, content: sent }) => elements.read(w, s, sent)))
    read.forEach((entry, i) => {
      if (entry instanceof KeyMissing) sealed += 1
      else if (typeof entry === 'string') quarantined.push({ id: entryId(news[i]!.w, news[i]!.s), reason: entry })
      else {
        entries.push(entry)
        contents.set(entry, news[i]!.content)
      }
    })
    try {
      const { added, refused, waiting } = await ingest(store, key, entries, term)
      pushAll(quarantined, refused)
      const out = new Set([...refused, ...waiting].map(({ id }) => id))
      const accepted = entries.filter(({ w, s }) => !out.has(entryId(w, s)))
      const others = accepted.length - added
      blobs?.fetch(accepted)
      // What another tab had stored before us is projected as the log has it.
      const early = new Set(waiting.map(({ id }) => id))
      const holes = holesBehind(content.holes, vector)
      const announced = commonRanges(holes, rangesPurged(entries.filter(({ w, s }) => early.has(entryId(w, s)))))
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
  for (const [w, , to] of [...elements.map(({ w, s }) => [w, s, s + 1] as const), ...holes]) ends[writerKey(w)] = Math.max(ends[writerKey(w)] ?? 0, to)
  return ends
}

function rangesPurged(entries: readonly Entry[]): SequenceRanges {
  return entries.reduce<SequenceRanges>((ranges, { type, data }) => (type === 'purge' ? joinRanges(ranges, data['ranges'] as SequenceRanges) : ranges), {})
}

/** What is said to be deleted of what we never had. */
function holesBehind(holes: UpdateContent['holes'], vector: VersionVector): SequenceRanges {
  const behind: Record<string, [number, number][]> = {}
  for (const [w, from, to] of holes) (behind[writerKey(w)] ??= []).push([Math.max(from, vector[writerKey(w)] ?? 0), to])
  return joinRanges({}, behind)
}

/** Deletions that nobody purged: entries that somebody took away from us. */
function strayHoles(holes: SequenceRanges, purged: SequenceRanges): readonly Refusal[] {
  return Object.entries(withoutRanges(holes, purged)).flatMap(([writer, ranges]) =>
    ranges.map(([from, to]) => ({ id: entryId(Number.parseInt(writer, 36), from), reason: `${to - from} entries were deleted elsewhere that nobody purged` })),
  )
}
