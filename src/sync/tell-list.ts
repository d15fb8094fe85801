import type { PurgeRecord } from '../contract/store.ts'
import { includesVector, joinVectors } from '../domain/version-vector.ts'
import type { IndexEntry, IndexValue } from './index-entry.ts'
import type { LocalSession } from './local-sessions.ts'
import { commonLife, purgedOf, standingOf } from './session-standing.ts'
import type { SettledSessions } from './settled-sessions.ts'
import type { UnderKey } from './under-key.ts'
import type { UntoldPurges } from './purge-reports.ts'

/** How long the sessions that were just exchanged wait for others, to be told of in one go, in milliseconds. */
const gatherMs = 10

export interface ListTellerOptions {
  readonly our: () => UnderKey
  readonly purges: Pick<UntoldPurges, 'all' | 'get'>
  readonly settled: Pick<SettledSessions, 'entryOf'>
  readonly mayTell: () => boolean
  readonly isClosed: () => boolean
  /** The list says something that the other side is to have. */
  readonly onSaid: () => void
  /** What was purged was told, or can't be now. */
  readonly onTold: () => void
  readonly onError: (error: unknown) => void
}

/** Says in the list what became of sessions here. */
export interface ListTeller {
  /** Says it with what else is said within a moment: each new list is looked through as a whole, here and by all others. */
  publishSoon(local: LocalSession): Promise<unknown>
  /** Says that the other side has nothing of a session that the list names, though it was asked: who has it is to send it again. */
  tellMissing(id: string, entry: IndexEntry): Promise<unknown>
  /** Tells of what was purged here, if it may be told now. */
  tellPurges(): Promise<void>
  /** Whether it was purged here and the list does not say so yet. */
  isUntold(key: string): boolean
  /** Whether that is being told. */
  isTelling(): boolean
  /** Who heard of a purge while it exchanged must not unsay it. */
  isErasedElsewhere(local: LocalSession): boolean
  /** Settles with what is being told of what was purged. */
  done(): Promise<unknown>
}

export function createListTeller({ our, purges, settled: { entryOf }, mayTell, isClosed, onSaid, onTold, onError }: ListTellerOptions): ListTeller {
  /** What is to be said, by id, and when it is said. */
  const gathered = new Map<string, LocalSession>()
  let gathering: Promise<unknown> | undefined
  let isTelling = false
  let telling: Promise<unknown> = Promise.resolve()

  const isErasedElsewhere = (local: LocalSession): boolean => {
    const standing = standingOf(local, our().index.entries().get(local.id))
    return standing === 'erase' || standing === 'kept'
  }

  /** @returns whether it was news */
  const publish = async (values: readonly (readonly [id: string, value: IndexValue])[]): Promise<boolean> => {
    const isNews = mayTell() && (await our().index.publish(values))
    if (isNews) onSaid()
    return isNews
  }

  const isUntold = (key: string): boolean => {
    const purge = purges.get(key)
    if (purge === undefined) return false
    const { life = 0, vector } = purge
    const entry = entryOf(key)
    // Somebody brought it back: it was of a life that is over.
    return (entry?.life ?? 0) <= life && !includesVector(purgedOf(life, entry) ?? {}, vector)
  }

  const tellPurges = async (): Promise<void> => {
    if (isTelling || !mayTell()) return
    const untold = purges.all().filter(({ key }) => isUntold(key))
    if (untold.length === 0) return
    isTelling = true
    let hasMore = false
    try {
      const { codec, index } = our()
      const named = await Promise.all(untold.map(async (purge) => [await codec.idOf(purge.key), purge] as const))
      // A change of keys may have begun meanwhile: the list is another one when it is over.
      if (mayTell()) {
        const said = publish(named.map(([id, purge]) => [id, goneOf(purge, index.entries().get(id))]))
        telling = said
        hasMore = await said
      }
    } catch (error) {
      onError(error)
    } finally {
      isTelling = false
    }
    if (hasMore) void tellPurges()
    onTold()
  }

  return {
    publishSoon: (local) => {
      gathered.set(local.id, local)
      gathering ??= new Promise((resolve) => setTimeout(resolve, gatherMs)).then(() => {
        const values = [...gathered].flatMap(([id, one]) => (isErasedElsewhere(one) ? [] : [[id, valueOf(one, our().index.entries().get(id))] as const]))
        gathered.clear()
        gathering = undefined
        return isClosed() ? undefined : publish(values)
      })
      return gathering
    },
    tellMissing: (id, { hp: _, hc: __, ...value }) => publish([[id, { ...value, hash: '' }]]),
    tellPurges,
    isUntold,
    isTelling: () => isTelling,
    isErasedElsewhere,
    done: () => telling.catch(() => undefined),
  }
}

function valueOf(local: LocalSession, entry: IndexEntry | undefined): IndexValue {
  const { listing: { key, title, createdAt, updatedAt, messageCount, archived, deletedAt, promotedTo }, hash } = local
  const life = commonLife(local, entry)
  const purged = purgedOf(life, entry)
  return { key, title, createdAt, updatedAt, messageCount, hash, ...(archived ? { archived } : {}), ...(deletedAt === undefined ? {} : { deletedAt }), ...(promotedTo === undefined ? {} : { promotedTo }), ...(life === 0 ? {} : { life }), ...(purged === undefined ? {} : { purged }) }
}

function goneOf({ key, vector, life = 0 }: PurgeRecord, entry: IndexEntry | undefined): IndexValue {
  const { createdAt = 0, updatedAt = 0, messageCount = 0 } = entry ?? {}
  return { key, title: '', createdAt, updatedAt, messageCount, hash: '', ...(life === 0 ? {} : { life }), purged: joinVectors(purgedOf(life, entry) ?? {}, vector) }
}
