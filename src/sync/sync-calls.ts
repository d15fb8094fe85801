import { SessionError } from '../contract/errors.ts'
import { findUnsent } from './find-unsent.ts'
import { isGone } from './is-gone.ts'
import { isListOpen } from './machine/machine-state.ts'
import { newestFirst } from './newest-first.ts'
import { planSync } from './plan-sync.ts'
import type { PeerState } from './presence/presence-state.ts'
import type { SyncPlan, SyncStatus, Unsent } from './status.ts'
import type { Sync } from './sync-contract.ts'
import { isIdle, type StatusOptions, statusOf } from './sync-status.ts'
import { untilMet, whileListClosed, whilePaused } from './sync-waits.ts'

/** What an app calls: each call is an event, or looks at the state. */
export function syncCalls(parts: StatusOptions): Sync {
  const { driver, window, scopes, presence, watched, keyChanger } = parts
  const isClosed = (): boolean => driver.state().isClosed
  return {
    status: () => statusOf(parts),
    session: window.state,
    states: () => Object.fromEntries(window.states()),
    sessions: () => newestFirst([...scopes.current().index.entries().values()].filter((entry) => !isGone(entry))),
    presence: (key) => presence?.peers(key) ?? nobody,
    presences: () => presence?.all() ?? {},
    setTyping: (key, isTyping) => {
      if (!isClosed()) presence?.setTyping(key, isTyping)
    },
    watch: (key) => (isClosed() ? () => undefined : watched.watch(key)),
    subscribe: driver.subscribe,
    plan: (signal) => plan(parts, signal),
    syncNow: (signal) => syncNow(parts, signal),
    unsent: () => unsent(parts),
    pause: () => driver.send({ type: 'pauseAsked' }),
    resume: () => void driver.send({ type: 'resumeAsked' }),
    retry: () => void driver.send({ type: 'retryAsked' }),
    drop: () => void driver.send({ type: 'dropAsked' }),
    changeKeys: keyChanger.change,
    close: () => close(parts),
  }
}

async function plan({ driver, scopes }: StatusOptions, signal: AbortSignal | undefined): Promise<SyncPlan> {
  void driver.send({ type: 'planAsked' })
  await untilMet(driver, () => isListOpen(driver.state()), signal, whileListClosed)
  const { locals, index } = scopes.current()
  await locals.refresh()
  return planSync(locals, index.entries())
}

async function syncNow(parts: StatusOptions, signal: AbortSignal | undefined): Promise<SyncStatus> {
  const { driver, firstLoad, scopes, purges } = parts
  if (driver.state().isPaused) throw new SessionError('InvalidInput', 'Sync is paused: resume it first.')
  void driver.send({ type: 'syncAsked' })
  await firstLoad.done()
  // Sessions that could not be read or were refused before are retried.
  const { locals } = scopes.current()
  locals.retry()
  await Promise.all([locals.refresh(), purges.load()])
  void driver.send({ type: 'syncPrepared' })
  try {
    await untilMet(driver, () => isIdle(parts), signal, whilePaused)
  } finally {
    void driver.send({ type: 'callerServed' })
  }
  return statusOf(parts)
}

async function unsent(parts: StatusOptions): Promise<Unsent> {
  const { setup, driver, firstLoad, scopes } = parts
  if (driver.state().isClosed) throw new SessionError('StorageClosed', 'Sync was closed.')
  await firstLoad.done()
  return findUnsent({ ...parts, store: setup.store, our: scopes.current(), leftBlobs: driver.state().leftBlobs })
}

async function close({ driver, firstLoad, keyChecks, presence }: StatusOptions): Promise<void> {
  if (driver.state().isClosed) return
  await Promise.allSettled([driver.send({ type: 'closeAsked' }), firstLoad.done(), keyChecks.done()])
  presence?.close()
}

const nobody: readonly PeerState[] = Object.freeze([])
