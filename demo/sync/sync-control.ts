import type { Encryption, SessionClient } from '../../src/index.ts'
import type { RootKey } from '../../src/sync/encryption/root-key.ts'
import { openSyncKeys } from '../../src/sync/encryption/sync-keys.ts'
import {
  type DeviceSync,
  type DeviceSyncSnapshot,
  type KeyChange,
  type OpenSyncOptions,
  openSync,
  type PeerState,
  type RotationReport,
  type SyncPlan,
  type Unsent,
} from '../../src/sync.ts'
import { syncWorker } from '../clock/wrong-workers.ts'
import { ofDevice } from '../device.ts'
import { ownName } from '../presence/presence-words.ts'
import { onLocalChange, readLocal, writeLocal } from '../ui/local.ts'
import { keepRootKey, nextRootKey, rootKey, takeNextRootKey } from './root-key.ts'
import { readSyncSettings, type SyncSettings, settingsName, writeSyncSettings } from './sync-settings.ts'
import { refusalText } from './sync-words.ts'

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
  /** Puts everything on the server under another key; what broke off is gone on with. */
  changeKey(how: KeyChange): Promise<RotationReport>
  /** What would be lost with this device. */
  unsent(): Promise<Unsent>
  /** With `andDelete`, this device is as new afterwards: the page has to be loaded again. */
  signOut(andDelete: boolean): Promise<void>
  /** Connects anew, because the store is opened in another way. */
  reopen(): Promise<void>
  /** Calls back whenever sync stands otherwise. @returns ends that */
  subscribe(listener: () => void): () => void
  /** Another conversation is open here: the others see it. */
  look(key: string): void
  /** Somebody writes in it, or does no more. */
  setTyping(isTyping: boolean): void
  /** The other devices on which it is open. */
  peers(): readonly PeerState[]
  /** Calls back whenever one comes, goes or does something. */
  subscribeToPeers(listener: () => void): void
}

/**
 * @param encryption - what the store is opened with now
 * @param onFailed - told of what nobody waits for
 */
export function createSyncControl(
  client: SessionClient,
  encryption: () => Encryption | undefined,
  onFailed: (error: unknown) => void,
): SyncControl {
  const [onName, pausedName] = [ofDevice('sync-on'), ofDevice('sync-paused')]
  const listeners = new Set<() => void>()
  const peerListeners = new Set<() => void>()
  let sync: DeviceSync | undefined
  let looked: string | undefined
  let stopLooking: (() => void) | undefined
  let isTyping = false
  /** What is prepared, and is not done before the user says so. */
  let prepared: { readonly settings: SyncSettings; readonly key: RootKey | undefined } | undefined
  let last: Promise<unknown> = Promise.resolve()

  const peersChanged = (): void => peerListeners.forEach((listener) => listener())
  const changed = (): void => {
    listeners.forEach((listener) => listener())
    peersChanged()
  }
  /** A device that was opened as the second one begins as the first is. */
  const isOn = (): boolean => (readLocal(onName) ?? readLocal('sync-on')) === 'true'

  /** One after the other: what is opened must not meet what is being closed. */
  function inTurn<T>(work: () => Promise<T>): Promise<T> {
    const done = last.then(work, work)
    last = done
    return done
  }

  async function open(settings: SyncSettings, paused: boolean, key?: RootKey): Promise<DeviceSync> {
    const keys = settings.isSealed
      ? await openSyncKeys(key ?? (await rootKey(settings.namespace)), settings.namespace)
      : undefined
    const locked = encryption()
    const options: OpenSyncOptions = {
      namespace: settings.namespace,
      transport: { kind: 'hocuspocus', url: settings.server },
      token: () => settings.token,
      paused,
      presence: { user: { name: ownName } },
      ...syncWorker,
      ...(locked === undefined ? {} : { encryption: locked }),
      ...(keys === undefined ? {} : { keys }),
    }
    const opened = openSync(client, options)
    let { status } = opened.getSnapshot()
    opened.subscribe(() => {
      const isSame = status === opened.getSnapshot().status
      status = opened.getSnapshot().status
      // A reply that grows elsewhere is told of five times a second.
      if (isSame) peersChanged()
      else changed()
    })
    sync = opened
    watch()
    changed()
    return opened
  }

  /** Also while it is only prepared: what is paused tells nobody. */
  function watch(): void {
    stopLooking?.()
    stopLooking = looked === undefined ? undefined : sync?.watch(looked)
  }

  /** What is closed is not to be told that nobody looks any more. */
  function forget(): DeviceSync | undefined {
    const over = sync
    stopLooking?.()
    stopLooking = undefined
    sync = undefined
    return over
  }

  async function shut(): Promise<void> {
    const over = forget()
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
        const refusal = refusalText(error, trial.getSnapshot())
        await follow()
        if (refusal !== undefined) throw new Error(refusal, { cause: error })
        if (late.aborted && !signal.aborted)
          throw new Error(`${settings.server} does not answer. Is it running, and is the address correct?`, {
            cause: error,
          })
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
    async changeKey(how) {
      const { namespace } = readSyncSettings()
      const from = await openSyncKeys(await rootKey(namespace), namespace)
      const to = await openSyncKeys(await nextRootKey(namespace), namespace)
      const report = await opened().changeKeys(to, { ...how, from })
      if (report.left.length === 0) takeNextRootKey(namespace)
      changed()
      return report
    },
    unsent: () => opened().unsent(),
    signOut: (andDelete) =>
      inTurn(async () => {
        const over = forget()
        writeLocal(onName, 'false')
        writeLocal(pausedName, undefined)
        // What is only here was told of before.
        await over?.signOut(andDelete ? { deleteSessions: true, discardUnsent: true } : {})
        changed()
      }),
    reopen: follow,
    subscribe(listener) {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
    look(key) {
      if (isTyping && looked !== undefined) sync?.setTyping(looked, false)
      isTyping = false
      looked = key
      watch()
      peersChanged()
    },
    setTyping(now) {
      if (looked !== undefined && (now || isTyping)) sync?.setTyping(looked, now)
      isTyping = now
    },
    peers: () => (looked === undefined || prepared !== undefined ? [] : (sync?.getSnapshot().presence[looked] ?? [])),
    subscribeToPeers(listener) {
      peerListeners.add(listener)
    },
  }
}
