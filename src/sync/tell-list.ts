import type { VersionVector } from '../contract/entry.ts'
import type { PurgeRecord } from '../contract/store.ts'
import { includesVector, joinVectors } from '../domain/version-vector.ts'
import type { IndexValue } from './index-entry.ts'
import { isBegunAnew } from './is-begun-anew.ts'
import type { LocalSession } from './local-sessions.ts'
import type { SettledSessions } from './settled-sessions.ts'
import type { UnderKey } from './under-key.ts'
import type { UntoldPurges } from './untold-purges.ts'

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

  const isErasedElsewhere = ({ id, vector }: LocalSession): boolean => {
    const purged = our().index.entries().get(id)?.purged
    return purged !== undefined && !isBegunAnew(vector, purged)
  }

  /** @returns whether it was news */
  const publish = async (values: readonly (readonly [id: string, value: IndexValue])[]): Promise<boolean> => {
    const isNews = mayTell() && (await our().index.publish(values))
    if (isNews) onSaid()
    return isNews
  }

  const isUntold = (key: string): boolean => {
    const vector = purges.get(key)
    return vector !== undefined && !includesVector(entryOf(key)?.purged ?? {}, vector)
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
        const values = [...gathered].flatMap(([id, one]) => (isErasedElsewhere(one) ? [] : [[id, valueOf(one, our().index.entries().get(id)?.purged)] as const]))
        gathered.clear()
        gathering = undefined
        return isClosed() ? undefined : publish(values)
      })
      return gathering
    },
    tellPurges,
    isUntold,
    isTelling: () => isTelling,
    isErasedElsewhere,
    done: () => telling.catch(() => undefined),
  }
}

function valueOf({ listing: { key, title, createdAt, updatedAt, messageCount, archived, deletedAt, promotedTo }, hash }: LocalSession, purged: VersionVector | undefined): IndexValue {
  return { key, title, createdAt, updatedAt, messageCount, hash, ...(archived ? { archived } : {}), ...(deletedAt === undefined ? {} : { deletedAt }), ...(promotedTo === undefined ? {} : { promotedTo }), ...(purged === undefined ? {} : { purged }) }
}

function goneOf({ key, vector }: PurgeRecord, { createdAt = 0, updatedAt = 0, messageCount = 0, purged = {} }: Partial<IndexValue> = {}): IndexValue {
  return { key, title: '', createdAt, updatedAt, messageCount, hash: '', purged: joinVectors(purged, vector) }
}
