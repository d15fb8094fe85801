import type { VersionVector } from '../../../src/contract/entry.ts'
import { isSessionError } from '../../../src/contract/errors.ts'
import type { SessionStore } from '../../../src/contract/store/session-store.ts'
import { createMemoryBackend } from '../../../src/storage/memory-backend.ts'
import type { SyncKeys } from '../../../src/sync/encryption/sync-keys.ts'
import { readWholeLog } from '../../../src/sync/read-whole-log.ts'
import type { Sync } from '../../../src/sync/sync-contract.ts'
import type { RememberedSync } from '../../../src/sync/sync-memory.ts'
import { createHub, type HubBackup } from '../hub.ts'
import { createDevice, type Device } from '../synced-device.ts'
import { createRandom, type Random } from './random.ts'

const minute = 60_000

/** One device of an account: its database outlives its sync, its store and what sync remembers. */
export class AccountDevice {
  /** Closing a store leaves its database. */
  readonly backend = { ...createMemoryBackend(), close: async () => undefined }
  readonly skew: number
  device: Device
  sync: Sync | undefined
  remembered: RememberedSync | undefined

  constructor(random: Random) {
    this.skew = random.chance(0.4) ? 0 : (random.below(121) - 60) * minute
    this.device = this.open()
  }

  get store(): SessionStore {
    return this.device.store
  }

  open(): Device {
    return createDevice(this.backend, () => Date.now() + this.skew)
  }
}

/** What somebody saw stored or brought back, when, and all that its session had then. */
export interface Shown {
  readonly text: string
  readonly key: string
  readonly by: AccountDevice
  readonly at: number
  readonly vector: VersionVector
}

export interface Purged {
  readonly key: string
  readonly by: AccountDevice
  readonly at: number
  readonly vector: VersionVector
  readonly texts: ReadonlySet<string>
}

export interface AccountOptions {
  readonly steps?: number
  readonly keys?: SyncKeys | undefined
  /** Puts something else in the place of the store that sync works with: mistakes on purpose. */
  readonly spoil?: (store: SessionStore) => SessionStore
}

const weights = {
  say: 30,
  purge: 8,
  parting: 12,
  undelete: 12,
  delete: 1,
  pause: 6,
  resume: 14,
  down: 2,
  up: 8,
  restart: 4,
  wipeMemory: 1,
  backup: 3,
  restore: 2,
  wait: 30,
}
type Step = keyof typeof weights

const keys = ['k', 'k', 'l']

/**
 * Three devices of one account with all that sync is, and a server; sessions are purged, begun anew, brought back, and
 * the server goes back to an old backup. What waits for what is left to the event loop: a seed draws the steps, not the
 * moments.
 */
export class Account {
  readonly hub = createHub()
  readonly devices: AccountDevice[]
  readonly history: string[] = []
  readonly shown: Shown[] = []
  readonly purges: Purged[] = []
  /** Keys under which somebody deleted a session on purpose, or began a deleted one afresh, which clears it. */
  readonly cleared = new Set<string>()
  /** What was brought back from having been kept after a purge. */
  readonly revivals = new Set<Shown>()
  /** Keys under which one was brought back, or begun afresh while it was kept. */
  readonly revived = new Set<string>()
  private readonly random: Random
  private readonly options: AccountOptions
  private backup: HubBackup | undefined
  private words = 0
  private at = 0

  constructor(seed: number, options: AccountOptions = {}) {
    this.random = createRandom(seed)
    this.options = options
    this.devices = Array.from({ length: 3 }, () => new AccountDevice(this.random))
  }

  async run(): Promise<void> {
    for (const one of this.devices) await this.start(one)
    for (this.at = 0; this.at < (this.options.steps ?? 26); this.at++) await this.step(this.random.weighted(weights))
    this.hub.up()
    // Who was never there hears of everything, too.
    this.devices.push(new AccountDevice(this.random))
    for (const one of this.devices) {
      await this.start(one)
      one.sync!.resume()
      one.sync!.retry()
    }
  }

  async close(): Promise<void> {
    await Promise.all(this.devices.map(({ device }) => device.close()))
  }

  private async start(one: AccountDevice): Promise<void> {
    const { keys, spoil = (store: SessionStore) => store } = this.options
    one.sync ??= await one.device.sync({
      transport: this.hub.transport(),
      announceMs: 1,
      retryMs: [1, 4],
      store: spoil(one.store),
      ...(keys && { keys }),
      memory: {
        load: async () => one.remembered,
        save: async (state) => void (one.remembered = structuredClone(state)),
      },
    })
  }

  private async step(step: Step): Promise<void> {
    const { random, hub } = this
    const i = random.below(this.devices.length)
    const one = this.devices[i]!
    const key = random.pick(keys)
    this.history.push(`${'abc'[i]!} ${step} ${key}`)
    switch (step) {
      case 'say':
        return this.say(one, key)
      case 'purge':
        return this.purge(one, key)
      case 'parting':
        return this.part(one, this.devices[(i + 1 + random.below(2)) % 3]!, key)
      case 'undelete':
        return this.undelete(one)
      case 'delete':
        if ((await this.vectorOf(one, key)) === undefined) return
        this.cleared.add(key)
        return one.store.delete(key)
      case 'pause':
        return one.sync?.pause()
      case 'resume':
        return one.sync?.resume()
      case 'down':
        return hub.down()
      case 'up':
        return hub.up()
      case 'restart':
        await one.device.close()
        one.sync = undefined
        one.device = one.open()
        return random.chance(0.7) ? this.start(one) : undefined
      case 'wipeMemory':
        one.remembered = undefined
        return
      case 'backup':
        this.backup = hub.backup()
        return
      case 'restore':
        if (this.backup !== undefined) hub.restore(this.backup)
        return
      case 'wait':
        return this.pass()
    }
  }

  private async say(one: AccountDevice, key: string): Promise<void> {
    const meta = await one.store.getMeta(key)
    // Rarely: what was there is cleared by it, which is not what is looked at here.
    if (meta?.deletedAt !== undefined) {
      if (this.random.chance(0.8)) return
      this.cleared.add(key)
      // It goes on everywhere, with what others had said there and who cleared it did not know.
      if (meta.kept === true) this.revived.add(key)
    }
    const text = `said ${this.words++}`
    const before = await restartsOf(one.store, key)
    await one.store.addMessage(key, 'user', text, {}).catch(this.unlessExpected)
    // What another device purged can be put away in the very moment in which this is said: then it is cleared as above.
    if (meta?.deletedAt === undefined && (await restartsOf(one.store, key)) > before) {
      this.cleared.add(key)
      this.revived.add(key)
    }
    await this.note(one, key, [text])
  }

  /** What is shown by now was stored: it counts from here on. */
  private async note(one: AccountDevice, key: string, texts: readonly string[], isRevival = false): Promise<void> {
    const vector = await this.vectorOf(one, key)
    if (vector === undefined) return
    for (const text of texts) {
      const shown = { text, key, by: one, at: this.at, vector }
      this.shown.push(shown)
      if (isRevival) this.revivals.add(shown)
    }
  }

  /** One is away and says something; another purges what both had, and may begin it anew; the first comes back. */
  private async part(away: AccountDevice, there: AccountDevice, key: string): Promise<void> {
    const { random } = this
    if (random.chance(0.8)) await this.meet(there, away, there)
    await away.sync?.pause()
    if (random.chance(0.5)) await this.say(away, key)
    await this.purge(there, key)
    if (random.chance(0.4)) await this.meet(there)
    await this.say(away, key)
    if (random.chance(0.5)) await this.say(there, key)
    away.sync?.resume()
    if (random.chance(0.8)) await this.meet(there, away)
    if (random.chance(0.5)) await this.undelete(away)
  }

  /** They have the same for once, one after the other. */
  private async meet(...devices: readonly AccountDevice[]): Promise<void> {
    this.hub.up()
    for (const { sync } of devices) {
      sync?.resume()
      sync?.retry()
      // Another step may have ended it; who waits for too long goes on.
      await sync?.syncNow(AbortSignal.timeout(1000)).catch(() => undefined)
    }
  }

  /** Mostly for as long as it takes to hear of each other. */
  private pass(): Promise<void> {
    return new Promise((resolve) => setTimeout(resolve, this.random.pick([0, 10, 30, 60])))
  }

  private async purge(one: AccountDevice, key: string): Promise<void> {
    const vector = await this.vectorOf(one, key)
    if (vector === undefined) return
    const texts = new Set(await textsIn(one.store, key))
    try {
      // What came since is not among what was seen here.
      await one.store.purge(key, { known: vector })
      this.purges.push({ key, by: one, at: this.at, vector, texts })
    } catch (error) {
      this.unlessExpected(error)
    }
  }

  private async undelete(one: AccountDevice): Promise<void> {
    const { sessions } = await one.store.listSessions({ deleted: true })
    if (sessions.length === 0) return
    const { key, kept = false } = this.random.pick(sessions)
    try {
      await one.store.undelete(key)
      this.revived.add(key).add(key.split('~')[0]!)
      await this.note(
        one,
        key,
        (await one.store.getHistory(key)).map(({ content }) => content as string),
        kept,
      )
    } catch (error) {
      this.unlessExpected(error)
    }
  }

  private async vectorOf({ store }: AccountDevice, key: string): Promise<VersionVector | undefined> {
    return store.getVector(key, { isKey: true })
  }

  /** Another device erased or deleted it in this moment, or wrote to it. */
  private readonly unlessExpected = (error: unknown): void => {
    if (!isSessionError(error, 'SessionNotFound') && !isSessionError(error, 'ParentMoved')) throw error
  }
}

/** How often a deleted session was begun afresh by an append. */
async function restartsOf(store: SessionStore, key: string): Promise<number> {
  return (await readWholeLog(store, key, {})).filter(
    ({ data }) => (data['set'] as { restartedAt?: number } | undefined)?.restartedAt !== undefined,
  ).length
}

/** What was ever said in a log, hidden or not. */
export async function textsIn(store: SessionStore, key: string): Promise<readonly string[]> {
  return (await readWholeLog(store, key, {})).flatMap(({ data }) => {
    const content = (data['message'] as { content?: unknown } | undefined)?.content
    return typeof content === 'string' ? [content] : []
  })
}
