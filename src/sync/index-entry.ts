import type { VersionVector } from '../contract/entry.ts'

/** What the list of all devices' sessions says about one session. */
export interface IndexValue {
  readonly key: string
  readonly title: string
  /** Milliseconds since 1970. */
  readonly createdAt: number
  readonly updatedAt: number
  readonly messageCount: number
  /** `vectorHash` of what is known of it; empty when nothing is left of it. */
  readonly hash: string
  readonly archived?: true
  readonly deletedAt?: number
  /** Key of the session in which its log continues. */
  readonly promotedTo?: string
  /**
   * How often it was brought back after a purge; absent: never. Of two values the one of the later life counts,
   * whenever it was published.
   */
  readonly life?: number
  /**
   * Erased for good, in this life, by devices that knew this much of it. A device that knows no more erases it as well.
   * This stays when the session is restarted.
   */
  readonly purged?: VersionVector
}

/** A value and when it was published. The latest one counts. */
export interface IndexEntry extends IndexValue {
  readonly hp: number
  readonly hc: number
}

const texts = ['key', 'title', 'hash'] as const
const numbers = ['createdAt', 'updatedAt', 'messageCount'] as const

/** The value that another device published, or `undefined` when it is invalid. */
export function readIndexValue(value: unknown): IndexValue | undefined {
  if (typeof value !== 'object' || value === null) return undefined
  const said = value as Record<string, unknown>
  if (texts.some((name) => typeof said[name] !== 'string') || said['key'] === '') return undefined
  if (numbers.some((name) => !isTime(said[name]))) return undefined
  const { key, title, createdAt, updatedAt, messageCount, hash, deletedAt, archived, promotedTo, life, purged } = said
  if (deletedAt !== undefined && !isTime(deletedAt)) return undefined
  if (archived !== undefined && archived !== true) return undefined
  if (promotedTo !== undefined && typeof promotedTo !== 'string') return undefined
  if (life !== undefined && !(Number.isSafeInteger(life) && (life as number) > 0)) return undefined
  if (purged !== undefined && !isVector(purged)) return undefined
  // Other members are dropped: they could be nested too deeply to be copied.
  const taken = {
    key,
    title,
    createdAt,
    updatedAt,
    messageCount,
    hash,
    ...(archived && { archived }),
    ...(deletedAt !== undefined && { deletedAt }),
    ...(promotedTo !== undefined && { promotedTo }),
    ...(life !== undefined && { life }),
    ...(purged !== undefined && { purged }),
  }
  return taken as unknown as IndexValue
}

function isVector(value: unknown): boolean {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && Object.values(value).every(isTime)
}

function isTime(value: unknown): boolean {
  return typeof value === 'number' && Number.isFinite(value) && value >= 0
}
