import { given } from '../domain/given.ts'
import { createPurgeAnnouncer, type PublishedValue } from './announce-purges.ts'
import { carriedFields, type IndexEntry, type IndexValue } from './index-entry.ts'
import type { ListPublisherOptions } from './list-publisher-options.ts'
import type { LocalSession } from './local-sessions.ts'
import { commonLife, purgedOf, standingOf } from './session-standing.ts'

/** How long sessions that were just exchanged wait for others, to be published together, in milliseconds. */
const gatherMs = 10

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

export function createListPublisher(options: ListPublisherOptions): ListPublisher {
  const { our, mayPublish, isClosed, onPublished } = options

  const isErasedElsewhere = (local: LocalSession): boolean => {
    const standing = standingOf(local, our().index.entries().get(local.id))
    return standing === 'erase' || standing === 'kept'
  }
  /** @returns whether anything was new */
  const publish = async (values: readonly PublishedValue[]): Promise<boolean> => {
    const isNews = mayPublish() && (await our().index.publish(values))
    if (isNews) onPublished()
    return isNews
  }
  const publishAll = async (sessions: readonly LocalSession[]): Promise<unknown> => {
    const values = sessions.flatMap((one) =>
      isErasedElsewhere(one) ? [] : [[one.id, valueOf(one, our().index.entries().get(one.id))] as const],
    )
    return isClosed() ? undefined : publish(values)
  }
  const announcer = createPurgeAnnouncer({ ...options, publish })

  return {
    publishSoon: gatherSessions(publishAll),
    publishMissing: (id, { hp: _, hc: __, ...value }) => publish([[id, { ...value, hash: '' }]]),
    announcePurges: announcer.announce,
    isUnreported: announcer.isUnreported,
    isAnnouncing: announcer.isAnnouncing,
    isErasedElsewhere,
    done: announcer.done,
  }
}

/** Sessions that are handed over within a moment are published together. */
function gatherSessions(
  publishAll: (sessions: readonly LocalSession[]) => Promise<unknown>,
): (local: LocalSession) => Promise<unknown> {
  /** By id. */
  const gathered = new Map<string, LocalSession>()
  let gathering: Promise<unknown> | undefined
  return (local) => {
    gathered.set(local.id, local)
    gathering ??= new Promise((resolve) => setTimeout(resolve, gatherMs)).then(() => {
      const sessions = [...gathered.values()]
      gathered.clear()
      gathering = undefined
      return publishAll(sessions)
    })
    return gathering
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
