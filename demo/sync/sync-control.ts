import { deleteSessionStore, type Encryption, type SessionClient } from '../../src/index.ts'
import { type DeviceSync, type DeviceSyncSnapshot, openSync, type OpenSyncOptions, type SyncPlan } from '../../src/sync.ts'
import type { RootKey } from '../../src/sync/encryption/root-key.ts'
import { openSyncKeys } from '../../src/sync/encryption/sync-keys.ts'
import { ofDevice } from '../device.ts'
import { onLocalChange, readLocal, writeLocal } from '../ui/local.ts'
import { keepRootKey, rootKey } from './root-key.ts'
import { readSyncSettings, settingsName, type SyncSettings, writeSyncSettings } from './sync-settings.ts'

/** Until a server that can't be reached is given up, before the first upload. */
const patienceMs = 20_000

/** Sync of this device, as its user has turned it on. */
export interface SyncControl {
  /** How it stands; `undefined` while it is off. */
  snapshot(): DeviceSyncSnapshot | undefined
  /** Connects, without sending anything, and says what would happen. */
  prepare(settings: SyncSettings, key: RootKey | undefined, signal: AbortSignal): Promise<SyncPlan>
  /** Does it, now and from now on. */
  begin(): Promise<void>
  /** Ends what was only prepared; what was on before is on again. */
  giveUp(): Promise<void>
  pause(): Promise<void>
  resume(): Promise<void>
  syncNow(): Promise<void>
  /** With `andDelete`, this device is as new afterwards: the page has to be loaded again. */
  signOut(andDelete: boolean): Promise<void>
  /** Connects anew, because the store is opened in another way. */
  reopen(): Promise<void>
  subscribe(listener: () => void): () => void
}

/**
 * @param encryption - what the store is opened with now
 * @param onFailed - told of what nobody waits for
 */
export function createSyncControl(store: SessionClient, encryption: () => Encryption | undefined, onFailed: (error: unknown) => void): SyncControl {
  const [onName, pausedName] = [ofDevice('sync-on'), ofDevice('sync-paused')]
  const listeners = new Set<() => void>()
  let sync: DeviceSync | undefined
  /** What is prepared, and is not done before the user says so. */
  let prepared: { readonly settings: SyncSettings; readonly key: RootKey | undefined } | undefined
  let last: Promise<unknown> = Promise.resolve()

  const changed = (): void => listeners.forEach((listener) => listener())
  /** A device that was opened as the second one begins as the first is. */
  const isOn = (): boolean => (readLocal(onName) ?? readLocal('sync-on')) === 'true'

  /** One after the other: what is opened must not meet what is being closed. */
  function inTurn<T>(work: () => Promise<T>): Promise<T> {
    const done = last.then(work, work)
    last = done
    return done
  }

  async function open(settings: SyncSettings, paused: boolean, key?: RootKey): Promise<DeviceSync> {
    const keys = settings.isSealed ? await openSyncKeys(key ?? (await rootKey(settings.namespace)), settings.namespace) : undefined
    const locked = encryption()
    const options: OpenSyncOptions = {
      namespace: settings.namespace,
      transport: { kind: 'hocuspocus', url: settings.server },
      token: () => settings.token,
      paused,
      ...(locked === undefined ? {} : { encryption: locked }),
      ...(keys === undefined ? {} : { keys }),
    }
    sync = openSync(store, options)
    sync.subscribe(changed)
    changed()
    return sync
  }

  async function shut(): Promise<void> {
    const over = sync
    sync = undefined
    prepared = undefined
    await over?.close()
    changed()
  }

  /** As the settings say, which any tab may have changed. */
  const follow = (): Promise<void> =>
    inTurn(async () => {
      await shut()
      if (isOn() && readSyncSettings().server !== '') await open(readSyncSettings(), readLocal(pausedName) === 'true')
    })
  const followOthers = (): void => void follow().catch(onFailed)

  const opened = (): DeviceSync => {
    if (sync === undefined) throw new Error('Sync is off.')
    return sync
  }

  onLocalChange(settingsName, followOthers)
  onLocalChange(onName, followOthers)
  followOthers()

  return {
    snapshot: () => (prepared === undefined ? sync?.getSnapshot() : undefined),
    async prepare(settings, key, signal) {
      const trial = await inTurn(async () => {
        await shut()
        prepared = { settings, key }
        return open(settings, true, key)
      })
      const late = AbortSignal.timeout(patienceMs)
      try {
        return await trial.plan(AbortSignal.any([signal, late]))
      } catch (error) {
        await follow()
        if (late.aborted && !signal.aborted) throw new Error(`${settings.server} does not answer. Is it running, and is the address right?`, { cause: error })
        throw error
      }
    },
    async begin() {
      if (prepared === undefined) return
      const { settings, key } = prepared
      // Whatever is closed from here on, the user has said yes.
      prepared = undefined
      if (key !== undefined) await keepRootKey(settings.namespace, key)
      writeSyncSettings(settings)
      writeLocal(onName, 'true')
      writeLocal(pausedName, undefined)
      await opened().resume()
      changed()
    },
    giveUp: async () => void (prepared !== undefined && (await follow())),
    async pause() {
      writeLocal(pausedName, 'true')
      await opened().pause()
    },
    async resume() {
      writeLocal(pausedName, undefined)
      await opened().resume()
    },
    syncNow: async () => void (await opened().syncNow()),
    signOut: (andDelete) =>
      inTurn(async () => {
        const over = sync
        sync = undefined
        writeLocal(onName, 'false')
        writeLocal(pausedName, undefined)
        await over?.signOut()
        changed()
        if (!andDelete) return
        await store.close()
        await deleteSessionStore(store.name)
      }),
    reopen: follow,
    subscribe(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
  }
}
