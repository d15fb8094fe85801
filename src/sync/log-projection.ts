import type { Entry, SequenceRanges, VersionVector } from '../contract/entry.ts'
import { joinRanges } from '../domain/version-vector.ts'
import type { ElementCodec } from './element-codec.ts'
import { createProjection, type Projection } from './projection.ts'

export interface LogProjectionOptions {
  /** Name of the document. */
  readonly name: string
  readonly elements: ElementCodec
  /** What was purged before the session was restarted. */
  readonly erased: VersionVector
}

/** A projection that entries are put into as they are in the log. */
export interface LogProjection extends Omit<Projection, 'add'> {
  /**
   * @param announced - the part of the holes that purges explain which came too early
   * @param sent - the content that entries arrived as: an entry has only one valid form
   */
  project(
    entries: readonly Entry[],
    origin: unknown,
    announced?: SequenceRanges,
    sent?: ReadonlyMap<Entry, unknown>,
  ): Promise<void>
  /** What purges among the entries so far, and those before the restart, have emptied. */
  purged(): SequenceRanges
}

export function createLogProjection({ name, elements, erased }: LogProjectionOptions): LogProjection {
  const { add, ...projection } = createProjection(name)
  let purged: SequenceRanges = Object.fromEntries(Object.entries(erased).map(([writer, next]) => [writer, [[0, next]]]))
  add([], purged, undefined)
  return {
    ...projection,
    project: async (entries, origin, announced = {}, sent) => {
      purged = joinRanges(purged, rangesPurged(entries))
      const contents = await Promise.all(entries.map((entry) => sent?.get(entry) ?? elements.write(entry)))
      add(
        entries.map(({ w, s }, i) => ({ w, s, content: contents[i] })),
        joinRanges(purged, announced),
        origin,
      )
    },
    purged: () => purged,
  }
}

/** What these entries purge. */
export function rangesPurged(entries: readonly Entry[]): SequenceRanges {
  return entries.reduce<SequenceRanges>(
    (ranges, { type, data }) => (type === 'purge' ? joinRanges(ranges, data['ranges'] as SequenceRanges) : ranges),
    {},
  )
}
