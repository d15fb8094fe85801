import type { VersionVector } from '../contract/entry.ts'
import type { SessionListing } from '../contract/meta.ts'

/**
 * Which fields of a session list the devices tell each other here, so that they can be shown before the session has
 * arrived. The others come with the session itself; `kept` is about one device only.
 */
const isCarried = {
  key: true,
  title: true,
  createdAt: true,
  updatedAt: true,
  messageCount: true,
  archived: true,
  deletedAt: true,
  promotedTo: true,
  life: true,
  titleSource: false,
  agentId: false,
  userId: false,
  tags: false,
  tokenEstimate: false,
  kept: false,
  ttl: false,
} as const satisfies Record<keyof SessionListing, boolean>

type Carried = {
  [Name in keyof typeof isCarried]: (typeof isCarried)[Name] extends true ? Name : never
}[keyof typeof isCarried]

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

/** The fields of a session's row that are carried. `archived: false` is not said. */
export function carriedFields(listing: SessionListing): Pick<IndexValue, Carried> {
  return Object.fromEntries(
    Object.entries(listing).filter(([name, value]) => isCarried[name as keyof SessionListing] && value !== false),
  ) as unknown as Pick<IndexValue, Carried>
}

const isText = (said: unknown): boolean => typeof said === 'string'
const orAbsent =
  (isSound: (said: unknown) => boolean) =>
  (said: unknown): boolean =>
    said === undefined || isSound(said)

const checks: Readonly<Record<keyof IndexValue, (said: unknown) => boolean>> = {
  key: (said) => isText(said) && said !== '',
  title: isText,
  createdAt: isTime,
  updatedAt: isTime,
  messageCount: isTime,
  hash: isText,
  archived: orAbsent((said) => said === true),
  deletedAt: orAbsent(isTime),
  promotedTo: orAbsent(isText),
  life: orAbsent((said) => Number.isSafeInteger(said) && (said as number) > 0),
  purged: orAbsent(isVector),
}

/**
 * The value that another device published, or `undefined` when it is invalid. Members that are unknown here are left
 * out: they could be nested too deeply to be copied.
 */
export function readIndexValue(value: unknown): IndexValue | undefined {
  if (typeof value !== 'object' || value === null) return undefined
  const taken: Record<string, unknown> = {}
  for (const [name, isSound] of Object.entries(checks)) {
    const said = (value as Record<string, unknown>)[name]
    if (!isSound(said)) return undefined
    if (said !== undefined) taken[name] = said
  }
  return taken as unknown as IndexValue
}

function isVector(value: unknown): boolean {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && Object.values(value).every(isTime)
}

function isTime(value: unknown): boolean {
  return typeof value === 'number' && Number.isFinite(value) && value >= 0
}
