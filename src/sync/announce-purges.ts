import type { PurgeRecord } from '../contract/store/log-exchange.ts'
import { includesVector, joinVectors } from '../domain/version-vector.ts'
import type { IndexEntry, IndexValue } from './index-entry.ts'
import type { ListPublisherOptions } from './list-publisher-options.ts'
import { purgedOf } from './session-standing.ts'

export type PublishedValue = readonly [id: string, value: IndexValue]

export interface PurgeAnnouncerOptions
  extends Pick<ListPublisherOptions, 'our' | 'purges' | 'settled' | 'mayPublish' | 'onAnnounced' | 'onError'> {
  /** @returns whether anything was new */
  readonly publish: (values: readonly PublishedValue[]) => Promise<boolean>
}

/** Publishes in the list what was purged here. */
export interface PurgeAnnouncer {
  /** Announces what the list does not say yet, if that is allowed now. */
  announce(): Promise<void>
  isUnreported(key: string): boolean
  isAnnouncing(): boolean
  /** Settles when the purges are announced. */
  done(): Promise<unknown>
}

export function createPurgeAnnouncer(options: PurgeAnnouncerOptions): PurgeAnnouncer {
  const { our, purges, settled, mayPublish, publish, onAnnounced, onError } = options
  let isAnnouncing = false
  let announcing: Promise<unknown> = Promise.resolve()

  const isUnreported = (key: string): boolean => {
    if (purges.isExpected(key)) return true
    const purge = purges.get(key)
    return purge !== undefined && isNewPurge(purge, settled.entryOf(key))
  }

  const announce = async (): Promise<void> => {
    if (isAnnouncing || !mayPublish()) return
    const unreported = purges.all().filter(({ key }) => !purges.isExpected(key) && isUnreported(key))
    if (unreported.length === 0) return
    isAnnouncing = true
    let hasMore = false
    try {
      const { codec, index } = our()
      const identified = await Promise.all(
        unreported.map(async (purge) => [await codec.idOf(purge.key), purge] as const),
      )
      // A change of keys may have started in the meantime, after which there is another list.
      if (mayPublish()) {
        const publishing = publish(identified.map(([id, purge]) => [id, goneOf(purge, index.entries().get(id))]))
        announcing = publishing
        hasMore = await publishing
      }
    } catch (error) {
      onError(error)
    } finally {
      isAnnouncing = false
    }
    if (hasMore) void announce()
    onAnnounced()
  }

  return { announce, isUnreported, isAnnouncing: () => isAnnouncing, done: () => announcing.catch(() => undefined) }
}

/** Whether the list does not say of a purge yet. If somebody brought the session back, it was of a life that is over. */
export function isNewPurge({ life = 0, vector }: PurgeRecord, entry: IndexEntry | undefined): boolean {
  return (entry?.life ?? 0) <= life && !includesVector(purgedOf(life, entry) ?? {}, vector)
}

/** What the list says of a session that was purged. */
export function goneOf({ key, vector, life = 0 }: PurgeRecord, entry: IndexEntry | undefined): IndexValue {
  const { createdAt = 0, updatedAt = 0, messageCount = 0 } = entry ?? {}
  return {
    key,
    title: '',
    createdAt,
    updatedAt,
    messageCount,
    hash: '',
    ...(life === 0 ? {} : { life }),
    purged: joinVectors(purgedOf(life, entry) ?? {}, vector),
  }
}
