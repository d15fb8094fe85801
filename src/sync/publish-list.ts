import type { PurgeRecord } from '../contract/store/log-exchange.ts'
import { given } from '../domain/given.ts'
import { includesVector, joinVectors } from '../domain/version-vector.ts'
import { carriedFields, type IndexEntry, type IndexValue } from './index-entry.ts'
import type { KeyScope } from './key-scope.ts'
import type { LocalSession } from './local-sessions.ts'
import type { PurgeAnnouncements } from './purge-announcements.ts'
import { commonLife, purgedOf, standingOf } from './session-standing.ts'
import type { SettledSessions } from './settled-sessions.ts'

/** How long sessions that were just exchanged wait for others, to be published together, in milliseconds. */
const gatherMs = 10

export interface ListPublisherOptions {
  readonly our: () => KeyScope
  readonly purges: Pick<PurgeAnnouncements, 'all' | 'get'>
  readonly settled: Pick<SettledSessions, 'entryOf'>
  readonly mayPublish: () => boolean
  readonly isClosed: () => boolean
  /** The list has something new that the other side has to get. */
  readonly onPublished: () => void
  /** The purges were announced, or cannot be now. */
  readonly onAnnounced: () => void
  readonly onError: (error: unknown) => void
}

/** Publishes in the list what became of local sessions. */
export interface ListPublisher {
  /**
   * Publishes it together with others that follow within a moment: each new list is read as a whole, here and by all
   * others.
   */
  publishSoon(local: LocalSession): Promise<unknown>
  /**
   * Publishes that the other side has nothing of a session that the list names, though it was asked: a device that has
   * it has to send it again.
   */
  publishMissing(id: string, entry: IndexEntry): Promise<unknown>
  /** Announces what was purged here, if that is allowed now. */
  announcePurges(): Promise<void>
  /** Whether it was purged here and the list does not say so yet. */
  isUnreported(key: string): boolean
  /** Whether purges are being announced. */
  isAnnouncing(): boolean
  /** A device that learned of a purge during an exchange must not publish the session again. */
  isErasedElsewhere(local: LocalSession): boolean
  /** Settles when the purges are announced. */
  done(): Promise<unknown>
}

export function createListPublisher({
  our,
  purges,
  settled: { entryOf },
  mayPublish,
  isClosed,
  onPublished,
  onAnnounced,
  onError,
}: ListPublisherOptions): ListPublisher {
  /** What has to be published, by id, and when. */
  const gathered = new Map<string, LocalSession>()
  let gathering: Promise<unknown> | undefined
  let isAnnouncing = false
  let announcing: Promise<unknown> = Promise.resolve()

  const isErasedElsewhere = (local: LocalSession): boolean => {
    const standing = standingOf(local, our().index.entries().get(local.id))
    return standing === 'erase' || standing === 'kept'
  }

  /** @returns whether anything was new */
  const publish = async (values: readonly (readonly [id: string, value: IndexValue])[]): Promise<boolean> => {
    const isNews = mayPublish() && (await our().index.publish(values))
    if (isNews) onPublished()
    return isNews
  }

  const isUnreported = (key: string): boolean => {
    const purge = purges.get(key)
    if (purge === undefined) return false
    const { life = 0, vector } = purge
    const entry = entryOf(key)
    // Somebody brought it back: the purge was of a life that is over.
    return (entry?.life ?? 0) <= life && !includesVector(purgedOf(life, entry) ?? {}, vector)
  }

  const announcePurges = async (): Promise<void> => {
    if (isAnnouncing || !mayPublish()) return
    const unreported = purges.all().filter(({ key }) => isUnreported(key))
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
    if (hasMore) void announcePurges()
    onAnnounced()
  }

  return {
    publishSoon: (local) => {
      gathered.set(local.id, local)
      gathering ??= new Promise((resolve) => setTimeout(resolve, gatherMs)).then(() => {
        const values = [...gathered].flatMap(([id, one]) =>
          isErasedElsewhere(one) ? [] : [[id, valueOf(one, our().index.entries().get(id))] as const],
        )
        gathered.clear()
        gathering = undefined
        return isClosed() ? undefined : publish(values)
      })
      return gathering
    },
    publishMissing: (id, { hp: _, hc: __, ...value }) => publish([[id, { ...value, hash: '' }]]),
    announcePurges,
    isUnreported,
    isAnnouncing: () => isAnnouncing,
    isErasedElsewhere,
    done: () => announcing.catch(() => undefined),
  }
}

function valueOf(local: LocalSession, entry: IndexEntry | undefined): IndexValue {
  const life = commonLife(local, entry)
  return given({
    ...carriedFields(local.listing),
    hash: local.hash,
    life: life === 0 ? undefined : life,
    purged: purgedOf(life, entry),
  })
}

function goneOf({ key, vector, life = 0 }: PurgeRecord, entry: IndexEntry | undefined): IndexValue {
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
