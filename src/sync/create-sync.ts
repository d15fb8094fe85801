import { SessionError } from '../contract/errors.ts'
import { createBatchedReviews } from './batched-reviews.ts'
import { checkNamespace } from './check-namespace.ts'
import { createSyncTables } from './create-tables.ts'
import { createSyncWorkers } from './create-workers.ts'
import { type KeyScopes, openKeyScopes } from './key-scopes.ts'
import { initialState, isListOpen } from './machine/machine-state.ts'
import type { Presence } from './presence/create-presence.ts'
import { createRequestedSessions } from './requested-sessions.ts'
import { sessionReviewer } from './review-sessions.ts'
import { commandRunner } from './run-commands.ts'
import { syncCalls } from './sync-calls.ts'
import type { Sync, SyncOptions } from './sync-contract.ts'
import { createSyncDriver, type SyncDriver } from './sync-driver.ts'
import { failure, type SyncParts, type SyncSetup } from './sync-parts.ts'

/**
 * Starts sync: `machine/step.ts` decides what follows from each event, the parts do it, and report what comes of it to
 * the driver as events.
 */
export async function createSync(options: SyncOptions): Promise<Sync> {
  const setup = setupOf(options)
  const remembered = await options.memory?.load()
  const isRemembered = remembered !== undefined && remembered.keyId === options.keys?.id
  const driver = createSyncDriver(initialState(options.paused === true, remembered?.blobs ?? []))
  const scopes = await openKeyScopes({
    ...setup,
    driver,
    keys: options.keys,
    isRemembered,
    // A list that was written with another key is another list.
    state: isRemembered ? remembered.index : undefined,
  })
  const presence = await openPresence(options, driver, scopes)
  const ground = { setup, driver, scopes, presence }
  const tables = createSyncTables(ground)
  const parts = { ...ground, ...tables, ...createSyncWorkers(ground, tables) }
  const requested = openRequested(parts)
  const reviews = createBatchedReviews(
    sessionReviewer({ ...parts, requested }),
    () => void driver.send({ type: 'reviewed' }),
  )
  const unfollow = setup.follow(parts.changes.handle)
  driver.attach(commandRunner({ ...parts, reviews, requested, unfollow }))
  void driver.send({ type: 'started' })
  return syncCalls({ ...parts, reviews })
}

/** @throws InvalidInput */
function setupOf(options: SyncOptions): SyncSetup {
  const { store, follow, transport, namespace, memory, window: size = 32, retryMs = [1000, 30_000] } = options
  const { liveMs = 60_000, announceMs = 300, now = Date.now, random = Math.random } = options
  checkNamespace(namespace, options.keys)
  if (!Number.isInteger(size) || size < 1)
    throw new SessionError('InvalidInput', `window must be a whole number of at least 1, got ${String(size)}.`)
  const retry = { first: retryMs[0], longest: retryMs[1], random }
  const term = options.term === undefined ? {} : { term: options.term }
  return { store, follow, transport, namespace, memory, size, liveMs, announceMs, now, retry, term }
}

/** Loads its code only where it is used. */
async function openPresence(
  { presence, presenceCodec, device, store, keys, now = Date.now }: SyncOptions,
  driver: SyncDriver,
  scopes: KeyScopes,
): Promise<Presence | undefined> {
  if (presence === undefined) return undefined
  const sealed = async () =>
    keys && (await import('./encryption/sealed-presence.ts')).sealedPresence(() => scopes.current().keys!)
  return (await import('./presence/create-presence.ts')).createPresence({
    ...presence,
    device,
    store,
    now,
    codec: presenceCodec ?? (await sealed()),
    onError: failure(driver),
    onChange: () => void driver.send({ type: 'presenceMoved' }),
    onUnseen: () => void driver.send({ type: 'reviewNeeded' }),
  })
}

function openRequested({
  setup,
  driver,
  scopes,
  window,
  publisher,
}: SyncParts): ReturnType<typeof createRequestedSessions> {
  return createRequestedSessions({
    ...setup,
    our: scopes.current,
    mayServe: () => {
      const state = driver.state()
      return !state.isPaused && !state.isClosed && isListOpen(state)
    },
    isUnreported: publisher.isUnreported,
    serve: window.serve,
  })
}
