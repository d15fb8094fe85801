import type { IndexDocument } from './index-document.ts'
import { isGone } from './is-gone.ts'
import type { KeyScope } from './key-scope.ts'
import { isListOpen } from './machine/machine-state.ts'
import { nextExchanges } from './next-exchanges.ts'
import { planSync } from './plan-sync.ts'
import type { RequestedSessions } from './requested-sessions.ts'
import { sameContent } from './same-content.ts'
import { lifeHere, lifeThere } from './session-standing.ts'
import type { SettledSessions } from './settled-sessions.ts'
import type { SyncPlan } from './status.ts'
import { failure, type SyncParts } from './sync-parts.ts'
import { untilMet, whileListClosed } from './sync-waits.ts'

export interface ReviewOptions extends SyncParts {
  readonly requested: RequestedSessions
}

/**
 * Finds out which sessions differ from the list, and has them exchanged, with those to retry.
 *
 * @returns whether that could be done
 */
export function sessionReviewer(parts: ReviewOptions): (again: readonly string[]) => boolean {
  const { setup, driver, scopes, settled, unreadable, publisher, eraser, window, requested } = parts
  const onError = failure(driver)
  let forgetting: Promise<unknown> | undefined
  const isAmongPeers = setup.transport.onAsked !== undefined
  return (again) => {
    const our = scopes.current()
    const { index, locals, gate } = our
    unreadable.note()
    const state = driver.state()
    if (state.isPaused || state.isClosed || !isListOpen(state) || !locals.isLoaded()) return false
    window.dropStale()
    const record = gate.record()
    // The record comes first, so that a device with another key learns why it cannot read the rest. This changes the
    // list, and with it comes another review.
    if (record !== undefined && !hasRecord(index, record)) {
      index.addRecord(record).then(() => driver.send({ type: 'published' }), onError)
      return false
    }
    void publisher.announcePurges()
    const plan = planSync(locals, index.entries())
    if (isAmongPeers) {
      for (const key of unnamed(plan, our, settled)) publisher.publishSoon(locals.all.get(key)!).catch(onError)
      forgetting ??= forgetReported(parts, onError).finally(() => (forgetting = undefined))
    }
    // Before anything is left out because it is settled.
    const pending = pendingSessions(parts, our, again)
    eraser.erase(plan.erase.filter((key) => !settled.has(key)))
    window.add(
      nextExchanges({
        our,
        plan,
        settled,
        pending,
        purged: isAmongPeers ? [] : parts.purges.all().map(({ key }) => key),
        isUnreported: publisher.isUnreported,
      }),
    )
    requested.serve()
    window.closeIdle()
    return true
  }
}

/** The sessions that peers can't open because the list does not name them, or not the life that they are in here. */
function unnamed({ upload, exchange }: SyncPlan, { locals }: KeyScope, settled: SettledSessions): readonly string[] {
  const isLater = (key: string): boolean => {
    const entry = settled.entryOf(key)
    return entry !== undefined && lifeHere(locals.all.get(key)!) > lifeThere(entry)
  }
  return [...upload, ...exchange.filter(isLater)]
}

/**
 * Peers keep no documents from which anything has to be removed: who has the session erases it by the list. So a purge
 * is over once others have that.
 */
async function forgetReported(
  { driver, purges, publisher, list, saver }: SyncParts,
  onError: (error: unknown) => void,
): Promise<void> {
  if (purges.all().length === 0) return
  // If that cannot be waited for now, the next review does.
  await untilMet(driver, list.isSent, undefined, whileListClosed).catch(() => undefined)
  const reported = purges.all().filter(({ key }) => list.isSent() && !publisher.isUnreported(key))
  if (reported.length === 0) return
  // The list remembers it from then on. If it cannot be saved, the next review tries again.
  if (await saver.saveNow()) await Promise.all(reported.map(purges.emptied)).catch(onError)
}

function hasRecord(index: IndexDocument, record: Uint8Array): boolean {
  return index.marks().records.some((one) => sameContent(one, record))
}

/** The sessions that have to be connected whatever the list says. */
function pendingSessions(
  { watched, presence, window, failed, settled, doubted }: SyncParts,
  { locals }: KeyScope,
  again: readonly string[],
): readonly string[] {
  const unconnected = [...watched.keys(), ...(presence?.streaming() ?? [])].filter(
    (key) => !window.isOpen(key) && !failed.has(key) && window.state(key) !== 'oversized',
  )
  // A session that was erased in the meantime has no state.
  const retried = again.filter((key) => window.state(key) !== 'unknown')
  for (const key of retried) settled.delete(key)
  // What failed counts as settled, and was not exchanged.
  for (const key of doubted)
    if ((settled.has(key) && !failed.has(key)) || (!locals.all.has(key) && settled.entryOf(key) === undefined))
      doubted.delete(key)
  const isThere = (key: string): boolean => !isGone(settled.entryOf(key) ?? { hash: '' })
  return [...[...unconnected, ...retried].filter(isThere), ...[...doubted].filter((key) => !failed.has(key))]
}
