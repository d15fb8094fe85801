import * as Y from 'yjs'
import type { WriteBatch } from '../../../src/contract/write-batch.ts'
import { entryId, parseEntryId } from '../../../src/domain/address.ts'
import type { ReceiveReport } from '../../../src/sync/receive-report.ts'
import type { SyncDocument } from '../../../src/sync/sync-document.ts'
import { createCrashingBackend } from './crashing-backend.ts'
import { checkLaws } from './laws.ts'
import { expectedErrors, namedKeys, nameOperations, operations, operationWeights, talk } from './operations.ts'
import { createRandom, type Random } from './random.ts'
import { createServer, type Server } from './server.ts'
import { network, SimulatedDevice } from './simulated-device.ts'

/** On its way. `vector`: who sends it asks for what it lacks. */
interface Packet {
  readonly to: SimulatedDevice | 'server'
  readonly from: SimulatedDevice
  /** Of the device's end: a connection ends with it. */
  readonly boot: number
  readonly key: string
  readonly update?: Uint8Array
  readonly vector?: Uint8Array
}

export interface SimulationOptions {
  readonly steps?: number
  /** Has every device write under one number that it keeps: what must not be done. */
  readonly hasStoredIds?: boolean
  /** Several sessions, of which some get the keys of others as names. */
  readonly hasNames?: boolean
}

/** What can happen besides what people do. */
const eventWeights = {
  operation: 60,
  race: 4,
  network: 22,
  partition: 5,
  publish: 5,
  tab: 3,
  crash: 3,
  dyingIngest: 2,
  wipe: 1,
  clone: 1,
  skew: 2,
}

/** How the network treats a packet. */
const lossRate = 0.1
const doublingRate = 0.1

/**
 * Three devices, three tabs each at most, and a server; everything goes wrong that can. Then all talk until nothing is
 * new. @throws what law was broken
 */
export class Simulation {
  readonly devices: SimulatedDevice[] = []
  readonly server: Server
  readonly keys: readonly string[]
  /** What happened, for a failing seed. */
  readonly history: string[] = []
  /** Entries that were stored for good, and must be there in the end, by session. */
  readonly promised: ReadonlyMap<string, Set<string>>
  readonly hasNames: boolean
  /** Something was deleted, and whoever could say why was wiped. */
  isHeadless = false
  /** Sessions that were not held against the laws, see there. */
  headless = 0
  private readonly random: Random
  private readonly steps: number
  private packets: Packet[] = []
  private time = 1_700_000_000_000
  private words = 0

  constructor(seed: number, { steps = 36, hasStoredIds = false, hasNames = false }: SimulationOptions = {}) {
    this.random = createRandom(seed)
    this.hasNames = hasNames
    this.keys = hasNames ? namedKeys : ['s']
    this.promised = new Map(this.keys.map((key) => [key, new Set()]))
    this.steps = steps
    this.server = createServer((key, update, from) => {
      for (const device of this.devices)
        if (device !== from) this.send({ to: device, from: device, boot: device.boot, key, update })
    })
    for (let i = 0; i < 3; i++) {
      this.devices.push(
        new SimulatedDevice({
          random: this.random.fork(),
          time: () => this.time,
          ...(hasStoredIds ? { storedId: i + 1 } : {}),
          send: (device, key, update) => this.send({ to: 'server', from: device, boot: device.boot, key, update }),
        }),
      )
    }
  }

  async run(): Promise<void> {
    for (const device of this.devices) await device.start(await createCrashingBackend())
    for (let i = 0; i < this.steps; i++) await this.step()
    await this.settle()
    await checkLaws(this)
  }

  private async step(): Promise<void> {
    const { random } = this
    this.time += random.below(60_000)
    const device = random.pick(this.devices)
    const event = random.weighted(eventWeights)
    if (event !== 'operation') this.history.push(`${this.nameOf(device)} ${event}`)
    switch (event) {
      case 'operation':
        await this.operate(device)
        break
      case 'race':
        await Promise.all([this.operate(device), this.operate(device), this.operate(random.pick(this.devices))])
        break
      case 'network':
        break
      case 'partition':
        device.isOnline = !device.isOnline
        if (device.isOnline) await this.connect(device)
        break
      case 'publish':
        await this.publish(device)
        break
      case 'tab':
        if (device.tabs.length < 3 && random.chance(0.7)) await device.openTab()
        else if (device.tabs.length > 1) device.closeTab(device.tabs.at(-1)!)
        break
      case 'crash':
        await device.crash()
        if (device.isOnline) await this.connect(device)
        break
      case 'dyingIngest':
        await this.dieIngesting(device)
        break
      case 'wipe':
        this.promiseWhatOthersKnow(device)
        await device.start(await createCrashingBackend())
        break
      case 'clone': {
        const to = random.pick(this.devices)
        this.promiseWhatOthersKnow(to)
        to.storedId = device.storedId
        await to.start(await createCrashingBackend(device.backend.commits))
        break
      }
      case 'skew':
        device.skew += random.below(7_200_000) - 3_600_000
    }
    for (let n = random.below(4); n > 0; n--) await this.deliver()
  }

  private async operate(device: SimulatedDevice): Promise<void> {
    const { random } = this
    const tab = random.pick(device.tabs)
    const key = random.pick(this.keys)
    const wanted =
      this.hasNames && random.chance(0.2)
        ? random.weighted({ promote: 2, giveUp: 1 })
        : random.weighted(operationWeights)
    // Whoever waits for a tool says nothing meanwhile.
    const name = (tab.isTalking || tab.open.length > 0) && talk.has(wanted) ? 'results' : wanted
    this.history.push(`${this.nameOf(device)}.${device.tabs.indexOf(tab)} ${name} ${key}`)
    const own = random.fork()
    const talks = talk.has(name)
    if (talks) tab.isTalking = true
    try {
      await { ...operations, ...nameOperations }[name](tab, key, own, () => `said ${this.words++}`)
    } catch (error) {
      if (!expectedErrors.has((error as Error).name)) throw error
    } finally {
      if (talks) tab.isTalking = false
    }
    if (random.chance(0.6)) await this.publish(device, key)
  }

  private async publish(device: SimulatedDevice, ...keys: readonly string[]): Promise<void> {
    if (!device.isOnline) return
    for (const key of keys.length === 0 ? this.keys : keys) await (await device.document(key)).publish()
  }

  // --- The network

  private send(packet: Packet): void {
    if (!packet.from.isOnline) return
    this.packets.push(packet)
    if (this.random.chance(doublingRate)) this.packets.push(packet)
  }

  /** Whichever packet is next: the network reorders. */
  private async deliver(): Promise<void> {
    if (this.packets.length === 0) return
    // Mostly the oldest.
    const i = this.random.chance(0.5) ? 0 : this.random.below(this.packets.length)
    const [packet] = this.packets.splice(i, 1) as [Packet]
    const { to, from, boot, key, update, vector } = packet
    if (!from.isOnline || from.boot !== boot || this.random.chance(lossRate)) return
    if (to !== 'server') {
      const document = await to.document(key)
      if (update !== undefined) await this.receive(to, key, document, update)
      if (vector !== undefined)
        this.send({ to: 'server', from, boot, key, update: Y.encodeStateAsUpdate(document.doc, vector) })
      return
    }
    const doc = this.server.document(key)
    if (update !== undefined) Y.applyUpdate(doc, update, from)
    if (vector !== undefined)
      this.send({
        to: from,
        from,
        boot,
        key,
        update: Y.encodeStateAsUpdate(doc, vector),
        vector: Y.encodeStateVector(doc),
      })
  }

  private async receive(
    device: SimulatedDevice,
    key: string,
    document: SyncDocument,
    update: Uint8Array,
  ): Promise<void> {
    const report = await document.receive(update, network)
    this.checkReport(report, device)
    if (report.hasGap) this.ask(device, key, document)
  }

  private checkReport({ quarantined, error }: ReceiveReport, device: SimulatedDevice): void {
    // Nobody here is hostile.
    const others = quarantined.filter(({ reason }) => !reason.includes('were deleted elsewhere without a purge'))
    if (others.length < quarantined.length) this.isHeadless = true
    if (others.length > 0)
      throw new Error(`${this.nameOf(device)} quarantined what a device made: ${JSON.stringify(quarantined)}`)
    if (error !== undefined) throw error
  }

  private ask(device: SimulatedDevice, key: string, { doc }: SyncDocument): void {
    this.send({ to: 'server', from: device, boot: device.boot, key, vector: Y.encodeStateVector(doc) })
  }

  private async connect(device: SimulatedDevice): Promise<void> {
    for (const key of this.keys) {
      const document = await device.document(key)
      await document.publish()
      this.ask(device, key, document)
    }
  }

  /** A device dies while it takes in what the server has. */
  private async dieIngesting(device: SimulatedDevice): Promise<void> {
    const { random } = this
    const key = random.pick(this.keys)
    const document = await device.document(key)
    device.backend.dieAfter(random.below(2), random.chance(0.5))
    await document.receive(Y.encodeStateAsUpdate(this.server.document(key), Y.encodeStateVector(document.doc)), network)
    await device.crash()
  }

  /** Everybody is there, and the network works: until nothing is new. */
  private async settle(): Promise<void> {
    this.packets = []
    for (const device of this.devices) {
      device.isOnline = true
      for (const key of this.keys)
        for (const id of entriesOf(device.backend.commits, key)) this.promised.get(key)!.add(id)
    }
    for (let round = 0; round < 12; round++) {
      let isQuiet = true
      for (const device of this.devices) {
        for (const key of this.keys) {
          const document = await device.document(key)
          const doc = this.server.document(key)
          if ((await document.publish()) > 0) isQuiet = false
          Y.applyUpdate(doc, Y.encodeStateAsUpdate(document.doc, Y.encodeStateVector(doc)), device)
          const report = await document.receive(Y.encodeStateAsUpdate(doc, Y.encodeStateVector(document.doc)), network)
          this.checkReport(report, device)
          if (report.added > 0) isQuiet = false
        }
      }
      this.packets = []
      if (isQuiet && round > 0) return
    }
    throw new Error('they did not come to rest in 12 rounds')
  }

  /** Of a device that is wiped: what the server or another device has of it must be there in the end. */
  private promiseWhatOthersKnow(device: SimulatedDevice): void {
    for (const [key, promised] of this.promised) {
      const known = new Set(
        this.devices.flatMap((other) => (other === device ? [] : entriesOf(hardCommits(other), key))),
      )
      const vector = Y.decodeStateVector(Y.encodeStateVector(this.server.document(key)))
      for (const id of entriesOf(hardCommits(device), key)) {
        const { w, s } = parseEntryId(id)!
        if (known.has(id) || s < (vector.get(w) ?? 0)) promised.add(id)
        else promised.delete(id)
      }
    }
  }

  nameOf(device: SimulatedDevice): string {
    return 'abc'[this.devices.indexOf(device)]!
  }
}

function hardCommits({ backend }: SimulatedDevice): readonly WriteBatch[] {
  return backend.commits.slice(0, backend.hardened())
}

function entriesOf(commits: readonly WriteBatch[], key: string): readonly string[] {
  return commits.flatMap(({ sessions }) =>
    sessions
      .filter(({ hot }) => hot.key === key)
      .flatMap(({ append, insert }) =>
        [...append, ...insert].flatMap(({ entries }) => entries.map(({ w, s }) => entryId(w, s))),
      ),
  )
}
