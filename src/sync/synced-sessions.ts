import type { VersionVector } from '../contract/entry.ts'
import { commonVector, includesVector } from '../domain/version-vector.ts'
import type { ConnectedSessionsOptions } from './connected-sessions-options.ts'
import type { ExchangePlan, ExchangePlans } from './exchange-plans.ts'
import { isGone } from './is-gone.ts'
import type { LocalSession } from './local-sessions.ts'
import { commonLife } from './session-standing.ts'
import { vectorHash } from './vector-hash.ts'

type SharedOptions = 'our' | 'transport' | 'settled' | 'failed' | 'publisher' | 'purges' | 'isClosed' | 'onOpen'

export interface SyncedSessionsOptions extends Pick<ConnectedSessionsOptions, SharedOptions> {
  readonly plans: ExchangePlans
}

/** What is published and recorded once both sides have the same of a session. */
export interface SyncedSessions {
  /**
   * Rejects when it could not be recorded.
   *
   * @param drop - closes the connection of the session, if nothing of it is here any more
   * @returns whether that settles it; `false` where more was written here since, which has to be sent first
   */
  onSynced(key: string, proven: VersionVector, isMost: boolean, drop: () => Promise<void>): Promise<boolean>
  /** The session is connected: nothing of it was refused yet. */
  begin(key: string): void
  /** Something of the session that came was refused here. */
  addRefused(key: string): void
}

export function createSyncedSessions(options: SyncedSessionsOptions): SyncedSessions {
  const { our, transport, settled, failed, publisher, purges, plans, isClosed, onOpen } = options
  const refused = new Set<string>()
  /** Hashes of sessions of which all that can be sent is proven: entries behind one that is lost here cannot be. */
  const most = new Map<string, string>()
  const tell = publishesSent(options)

  const publishSynced = async (
    key: string,
    plan: ExchangePlan,
    proven: VersionVector,
    isMost: boolean,
  ): Promise<boolean> => {
    const { locals } = our()
    await locals.refresh()
    const local = locals.all.get(key)
    if (isMost && local !== undefined) most.set(key, local.hash)
    const isProven = (): boolean => {
      const now = locals.all.get(key)
      if (isMost || now === undefined || publisher.isErasedElsewhere(now)) return true
      return most.get(key) === now.hash || includesVector(proven, now.vector)
    }
    if (!isProven()) return false
    const sent = local && partOf(local, proven)
    if (sent !== undefined) await tell(key, plan, sent, refused.has(key))
    const isMissing = local === undefined && !locals.unreadable.has(key) && transport.onAsked === undefined
    if (isMissing && !refused.has(key) && !isClosed()) await publishMissing(key, plan.life, options)
    // More may have been written while that was published.
    if (!isProven()) return false
    if (!plans.isCurrent(key, plan) || (local !== undefined && publisher.isErasedElsewhere(local))) onOpen()
    else settled.add(key)
    failed.succeeded(key)
    return true
  }

  return {
    onSynced: async (key, proven, isMost, drop) => {
      const plan = plans.recorded(key) ?? plans.planFor(key)
      const { life, erased, only } = plan
      if (erased !== undefined && purges.get(key) !== undefined) await purges.emptied({ key, vector: erased, life })
      if (only === undefined) return publishSynced(key, plan, proven, isMost)
      // A session that was restarted in the meantime is here now and was not exchanged; nor was one that continues in a
      // later life.
      if (only === 'erased' && !our().locals.all.has(key) && plans.isCurrent(key, plan)) settled.add(key)
      failed.succeeded(key)
      await drop()
      onOpen()
      return true
    },
    begin: (key) => {
      refused.delete(key)
      most.delete(key)
    },
    addRefused: (key) => void refused.add(key),
  }
}

/**
 * Publishes what others have of a session. Who has what is refused here publishes that in return: then the same is not
 * published once more, which would never end, unless the list has lost it.
 */
function publishesSent({
  settled,
  publisher,
  isClosed,
}: SyncedSessionsOptions): (key: string, plan: ExchangePlan, sent: LocalSession, isRefusing: boolean) => Promise<void> {
  const published = new Map<string, string>()
  return async (key, { life }, sent, isRefusing) => {
    const value = `${life} ${sent.hash}`
    const isThere = (settled.entryOf(key)?.hash ?? '') !== ''
    if (isClosed() || publisher.isErasedElsewhere(sent) || (isRefusing && isThere && published.get(key) === value))
      return
    published.set(key, value)
    await publisher.publishSoon(sent)
  }
}

/**
 * A session as others can have it; nothing where they can have nothing of it. If the list said more, each device that
 * cannot get that would say what it has, and the two would contradict each other for ever.
 */
function partOf(local: LocalSession, proven: VersionVector): LocalSession | undefined {
  if (includesVector(proven, local.vector)) return local
  const vector = commonVector(local.vector, proven)
  return Object.keys(vector).length === 0 ? undefined : { ...local, hash: vectorHash(vector) }
}

/**
 * The list names a session of which nothing came, as from a server that was restored from an old backup. If something
 * came and was refused, the server does have it: to publish that it is missing would make the others publish for ever
 * that it is not.
 */
async function publishMissing(
  key: string,
  life: number,
  { our, settled, publisher }: SyncedSessionsOptions,
): Promise<void> {
  const entry = settled.entryOf(key)
  if (entry === undefined || isGone(entry) || commonLife(undefined, entry) !== life) return
  await publisher.publishMissing(await our().codec.idOf(key), entry)
}
