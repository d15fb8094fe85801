import type { Entry, SequenceRanges, VersionVector } from '../contract/entry.ts'
import { entryId, writerKey } from '../domain/address.ts'
import { covers, joinRanges } from '../domain/version-vector.ts'
import type { ElementCodec } from './element-codec.ts'
import { KeyMissing } from './encryption/key-missing.ts'
import type { Refusal } from './ingest.ts'
import type { Projection } from './projection.ts'
import type { UpdateContent } from './read-update.ts'
import { sameContent } from './same-content.ts'

/** What the content of an update from elsewhere means for the document here, before any of it is stored. */
export interface ExaminedContent {
  /**
   * Entries that the document does not have yet, each with the content that it arrived as: an entry has only one valid
   * form.
   */
  readonly contents: ReadonlyMap<Entry, unknown>
  /** How many entries the document has already. */
  readonly known: number
  /** How many entries were sealed with a key that is not here. */
  readonly sealed: number
  readonly quarantined: readonly Refusal[]
  /** Ranges that the update says are deleted, of what the document never had. */
  readonly holes: SequenceRanges
}

export interface ExamineOptions {
  readonly projection: Pick<Projection, 'vector' | 'at'>
  readonly elements: ElementCodec
  /** What was purged before the session was started again. */
  readonly erased: VersionVector
}

/** Sorts the content of an update by what has to be done with it. */
export async function examineContent(
  { elements: sent, holes, refused }: UpdateContent,
  { projection, elements, erased }: ExamineOptions,
): Promise<ExaminedContent> {
  const vector = projection.vector()
  const quarantined: Refusal[] = refused.map((reason) => ({ reason }))
  const contents = new Map<Entry, unknown>()
  const unknown: UpdateContent['elements'][number][] = []
  let known = 0
  let sealed = 0
  for (const element of sent) {
    const { w, s, content } = element
    if (covers(vector, w, s)) {
      known += 1
      const ours = projection.at(w, s)
      if (ours === undefined || sameContent(ours, content)) continue
      quarantined.push({ id: entryId(w, s), reason: 'another entry has this address: two devices wrote as one writer' })
      continue
    }
    // The entry was on its way when the session was purged. Its writer still has it and keeps it.
    if ((erased[writerKey(w)] ?? 0) === 0) unknown.push(element)
  }
  // All at once, because sealed entries are opened outside of this thread.
  const read = await Promise.all(unknown.map(({ w, s, content }) => elements.read(w, s, content)))
  read.forEach((entry, i) => {
    const { w, s, content } = unknown[i]!
    if (entry instanceof KeyMissing) sealed += 1
    else if (typeof entry === 'string') quarantined.push({ id: entryId(w, s), reason: entry })
    else contents.set(entry, content)
  })
  return { contents, known, sealed, quarantined, holes: holesBehind(holes, vector) }
}

/** The part of these deletions that is after the content of the document. */
function holesBehind(holes: UpdateContent['holes'], vector: VersionVector): SequenceRanges {
  const behind: Record<string, [number, number][]> = {}
  for (const [w, from, to] of holes) (behind[writerKey(w)] ??= []).push([Math.max(from, vector[writerKey(w)] ?? 0), to])
  return joinRanges({}, behind)
}
