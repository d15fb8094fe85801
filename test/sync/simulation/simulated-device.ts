import type { StoreChange } from '../../../src/contract/change.ts'
import type { SessionStore } from '../../../src/contract/store/session-store.ts'
import { createSessionStore } from '../../../src/storage/create-session-store.ts'
import { plainElements } from '../../../src/sync/plain-elements.ts'
import { openSyncDocument, type SyncDocument } from '../../../src/sync/sync-document.ts'
import { type CrashingBackend, createCrashingBackend } from './crashing-backend.ts'
import type { Random } from './random.ts'

/** A tab: a store of its own on the device's database, and with that writers of its own. */
export interface Tab {
  readonly store: SessionStore
  /** An app says one thing after the other. */
  isTalking: boolean
  /** Tool calls that it made and has no result for yet. */
  readonly open: { readonly key: string; readonly id: string }[]
}

export interface DeviceOptions {
  readonly random: Random
  /** The world's time; the device's own is skewed. */
  readonly time: () => number
  /** The number under which it writes, in the place of a random one for each tab and boot. */
  readonly storedId?: number
  /** Hands over what its documents have to send. */
  readonly send: (device: SimulatedDevice, key: string, update: Uint8Array) => void
}

/** The origin of what came in. */
export const network = Symbol('network')

export class SimulatedDevice {
  backend!: CrashingBackend
  tabs: Tab[] = []
  /** Sessions being synced, by the first tab. */
  readonly documents = new Map<string, SyncDocument>()
  isOnline = true
  skew: number
  /** Counts boots: what was sent to an earlier one is not for this one. */
  boot = 0
  /** A clone takes it along. */
  storedId: number | undefined
  private readonly options: DeviceOptions
  private readonly listeners = new Map<Tab, (change: StoreChange) => void>()

  constructor(options: DeviceOptions) {
    this.options = options
    this.storedId = options.storedId
    this.skew = drawSkew(options.random)
  }

  /** Starts on what is stored, with new tabs. */
  async start(backend: CrashingBackend): Promise<void> {
    this.stop()
    this.backend = backend
    this.boot += 1
    await this.openTab()
  }

  /** Throws everything away that is not stored. */
  stop(): void {
    this.backend?.die()
    for (const document of this.documents.values()) document.doc.destroy()
    this.documents.clear()
    this.listeners.clear()
    this.tabs = []
  }

  /** Goes on with what a power cut left: all that was flushed, and some of what was not. */
  async crash(): Promise<void> {
    const { backend } = this
    const hard = backend.hardened()
    this.skew = drawSkew(this.options.random)
    await this.start(
      await createCrashingBackend(
        backend.commits.slice(0, hard + this.options.random.below(backend.commits.length - hard + 1)),
      ),
    )
  }

  async openTab(): Promise<Tab> {
    const { random, time } = this.options
    const own = random.fork()
    const id = this.storedId
    let tab: Tab | undefined
    let heard: ((change: StoreChange) => void) | undefined
    const isFollowed = random.chance(0.5)
    const store = createSessionStore(this.backend, {
      now: () => time() + this.skew,
      randomBytes: id === undefined ? own.fill : (into) => void into.fill(id),
      onChange: (change) => {
        for (const [other, listener] of this.listeners) if (other !== tab) listener(change)
      },
      ...(isFollowed ? { follow: (listener: (change: StoreChange) => void) => void (heard = listener) } : {}),
    })
    tab = { store, isTalking: false, open: [] }
    if (heard !== undefined) this.listeners.set(tab, heard)
    this.tabs.push(tab)
    return tab
  }

  closeTab(tab: Tab): void {
    this.tabs = this.tabs.filter((other) => other !== tab)
    this.listeners.delete(tab)
  }

  async document(key: string): Promise<SyncDocument> {
    const open = this.documents.get(key)
    if (open !== undefined) return open
    const document = await openSyncDocument({ store: this.tabs[0]!.store, key, name: key, elements: plainElements })
    this.documents.set(key, document)
    document.doc.on('update', (update: Uint8Array, origin: unknown) => {
      if (origin !== network) this.options.send(this, key, update)
    })
    return document
  }
}

/** Up to a day off, either way; one in three is right. */
function drawSkew(random: Random): number {
  return random.chance(0.33) ? 0 : random.below(2 * day + 1) - day
}

const day = 24 * 60 * 60 * 1000
