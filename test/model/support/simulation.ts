import type { Entry } from '../../../src/contract/entry.ts'
import type { Message } from '../../../src/contract/message.ts'
import type { StoredEntry } from '../../../src/contract/rows.ts'
import { forkAfter } from '../../../src/domain/fork-after.ts'
import { hash53 } from '../../../src/domain/hash53.ts'
import type { ImportNode } from '../../../src/domain/import-node.ts'
import { importTree } from '../../../src/domain/import-tree.ts'
import { lineOf } from '../../../src/domain/line.ts'
import type { PlannedEntry } from '../../../src/domain/writer.ts'
import type { Device } from './device.ts'
import { createDevice, erasePurged, readView, receive, valueOf } from './device.ts'
import { assistant, lineEntry, message, tool, user } from './messages.ts'
import type { Actor } from './operations.ts'
import * as act from './operations.ts'
import { idOf } from './reference-fold.ts'

/** One thing that happens: what, on which tab of which device, and two numbers that say how. */
export type Step = readonly [what: number, who: number, x: number, y: number]

/** A whole run. Any list of numbers is one, so that a failing run can be made smaller. */
export interface Schedule {
  /** How far each device's clock is off, in milliseconds. */
  readonly skews: readonly number[]
  readonly steps: readonly Step[]
}

/** What a property looks at while a run goes on. */
export interface Observer {
  /** After each transaction of a device. */
  readonly settled?: (device: Device, world: World) => void
  /** After an append. `before`: what the device had. */
  readonly appended?: (append: {
    readonly actor: Actor
    readonly entries: readonly Entry[]
    readonly before: ReadonlyMap<string, Entry>
  }) => void
  readonly truncating?: (actor: Actor, branch: string, keepLast: number, truncate: () => void) => void
  readonly forking?: (actor: Actor, line: string, at: StoredEntry | undefined, fork: () => string) => void
  readonly checkpointed?: (actor: Actor, checkpoint: string) => void
  readonly restored?: (actor: Actor, checkpoint: string, branch: string) => void
}

export interface World {
  readonly devices: Device[]
  now: number
  /** Numbers messages, calls and writers. */
  count: number
  /** A log that another program keeps, and that every device may import as it is by then. */
  readonly file: ImportNode[]
}

const tabsOfDevice = 2

/** Plays a run: devices with two tabs each, whose entries reach each other late, in any order and sometimes twice. */
export function simulate(schedule: Schedule, observer: Observer = {}): World {
  const world: World = { devices: [], now: 1_700_000_000_000, count: 0, file: [] }
  for (const skew of schedule.skews)
    world.devices.push(
      createDevice(
        Array.from({ length: tabsOfDevice }, () => newWriter(world)),
        skew,
      ),
    )
  play(world, schedule.steps, observer)
  return world
}

/** Plays more steps. */
export function play(world: World, steps: readonly Step[], observer: Observer = {}): void {
  for (const [what, who, x, y] of steps) {
    world.now += [0, 0, 1, 40, 3_000][y % 5]!
    const device = world.devices[who % world.devices.length]!
    const tab = device.tabs[Math.floor(who / world.devices.length) % tabsOfDevice]!
    kinds[what % kinds.length]!({ world, observer, actor: { device, tab, now: world.now }, x, y, pick: picker(x, y) })
    observer.settled?.(device, world)
  }
}

/** Lets everything reach everybody. */
export function exchangeAll(world: World, observer: Observer = {}): void {
  for (let round = 0; round < 2; round++) {
    for (const from of world.devices) {
      for (const to of world.devices) {
        if (from === to) continue
        receive(to, missing(from, to))
        observer.settled?.(to, world)
      }
    }
  }
}

interface Play {
  readonly world: World
  readonly observer: Observer
  readonly actor: Actor
  readonly x: number
  readonly y: number
  /** A number below the bound. */
  readonly pick: (bound: number) => number
}

/** How often each thing happens, in relation. */
const weights: readonly (readonly [number, (play: Play) => void])[] = [
  [12, ask],
  [16, reply],
  [3, other],
  [2, reboot],
  [2, resume],
  [5, regenerate],
  [3, switchLine],
  [1, dropLine],
  [5, truncateLine],
  [1, clearLine],
  [4, compactLine],
  [5, editSomething],
  [2, setMeta],
  [3, saveCheckpoint],
  [5, restoreCheckpoint],
  [1, deleteOrRevive],
  [2, purgeOrErase],
  [2, rewrite],
  [4, importFile],
  [16, deliver],
]
const kinds = weights.flatMap(([weight, kind]) => Array.from({ length: weight }, () => kind))

function newWriter(world: World): number {
  return hash53(`writer ${world.count++}`)
}

function picker(x: number, y: number): (bound: number) => number {
  let state = (x * 65_536 + y + 1) >>> 0
  return (bound) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return Math.floor((state / 2 ** 32) * bound)
  }
}

function one<T>(play: Play, list: readonly T[]): T | undefined {
  return list[play.pick(list.length)]
}

function say(play: Play, drafts: readonly PlannedEntry[], branch?: string): void {
  const before = play.observer.appended === undefined ? new Map() : new Map(play.actor.device.log)
  const entries = act.append(play.actor, drafts, branch)
  play.observer.appended?.({ actor: play.actor, entries, before })
}

function ask(play: Play): void {
  const { world, x, pick } = play
  const question = user(`question ${world.count++}`)
  const branch = x % 8 === 0 ? anyLine(play) : undefined
  say(play, pick(4) === 0 ? [question, assistant(`answer ${world.count++}`)] : [question], branch)
}

/** What an agent does next: answers its open calls, or goes on, or ends. */
function reply(play: Play): void {
  const { world, actor, x, pick } = play
  const open = actor.tab.handle?.open ?? []
  if (open.length > 0 && x % 4 !== 0) return say(play, pick(3) === 0 ? open.map(tool) : [tool(open[0]!)])
  const calls = Array.from({ length: pick(3) }, () => `call ${world.count++}`)
  say(play, [assistant(`answer ${world.count++}`, calls)])
}

function other(play: Play): void {
  say(play, [lineEntry(play.x % 2 === 0 ? 'model_change' : 'custom', `other ${play.world.count++}`)])
}

function reboot({ world, actor }: Play): void {
  actor.tab.w = newWriter(world)
  actor.tab.handle = undefined
}

/** A tab takes over the turn another one left, and first answers what is open. */
function resume(play: Play): void {
  reboot(play)
  reply(play)
}

function anyLine(play: Play): string | undefined {
  const { cold } = play.actor.device.rows
  return one(
    play,
    ['', ...Object.keys(cold.branches)].filter((branch) => readable(play.actor.device, branch)),
  )
}

function readable(device: Device, branch: string): boolean {
  for (let at = branch, above = '~'; at !== ''; ) {
    const row = device.rows.cold.branches[at]
    if (row === undefined || row.order >= above) return false
    above = row.order
    at = row.fork.branch
  }
  return true
}

function regenerate(play: Play): void {
  const { world, actor, x, pick } = play
  const line = pick(3) > 0 ? actor.device.rows.hot.head : anyLine(play)!
  const at = one(play, readView(actor.device, line, pick(4) === 0 ? 'raw' : 'transcript'))
  const { cold } = actor.device.rows
  const fork = at === undefined || pick(8) === 0 ? { branch: '', order: '' } : forkAfter(cold, lineOf(cold, line)!, at)
  const drafts = [[], [assistant(`answer ${world.count++}`)], [user(`question ${world.count++}`)]][pick(3)]!
  const open = (): string => act.openBranch(actor, fork, x % 4 !== 0, drafts)
  if (play.observer.forking === undefined) open()
  else play.observer.forking(actor, line, fork.order === '' ? undefined : at, open)
}

function switchLine(play: Play): void {
  act.switchTo(play.actor, anyLine(play)!)
}

function dropLine(play: Play): void {
  const line = anyLine(play)!
  if (line !== '') act.deleteBranch(play.actor, line, play.x % 4 !== 0)
}

function truncateLine(play: Play): void {
  const { actor, observer, pick } = play
  const branch = pick(4) === 0 ? anyLine(play)! : actor.device.rows.hot.head
  const keepLast = pick(6)
  const truncate = (): void => act.truncate(actor, keepLast, branch)
  if (observer.truncating === undefined) truncate()
  else observer.truncating(actor, branch, keepLast, truncate)
}

function clearLine({ actor }: Play): void {
  act.clear(actor)
}

function compactLine({ world, actor, pick }: Play): void {
  act.compact(actor, `summary ${world.count++}`, pick(5))
}

function editSomething(play: Play): void {
  const { world, actor, x, pick } = play
  const rows =
    pick(3) > 0 ? readView(actor.device, actor.device.rows.hot.head, 'raw') : [...actor.device.stored.values()]
  const target = pick(2) === 0 ? rows.at(-1) : one(play, rows)
  if (target === undefined) return
  const { data } = message({ role: pick(3) === 0 ? 'user' : 'assistant', content: `edit ${world.count++}` })
  act.edit(actor, target, x % 2 === 0 ? null : data)
}

function setMeta({ world, actor, pick }: Play): void {
  const field = ['title', 'summary', 'archived', 'custom'][pick(4)]!
  act.setMeta(actor, { [field]: pick(4) === 0 ? null : `${field} ${world.count++}` })
}

function saveCheckpoint({ actor, observer }: Play): void {
  const id = act.checkpoint(actor)
  observer.checkpointed?.(actor, id)
}

function restoreCheckpoint(play: Play): void {
  const { actor, observer } = play
  const { checkpoints } = actor.device.rows.cold
  const id = one(play, Object.keys(checkpoints))
  if (id === undefined || !readable(actor.device, checkpoints[id]!.branch)) return
  const branch = act.restore(actor, id)
  observer.restored?.(actor, id, branch)
}

function deleteOrRevive({ world, actor, pick }: Play): void {
  if (actor.device.rows.cold.deletion?.deleted !== true) act.deleteSession(actor)
  else if (pick(2) === 0) act.undelete(actor)
  else act.startAfresh(actor, [user(`question ${world.count++}`)])
}

function purgeOrErase({ actor, pick }: Play): void {
  if (pick(2) === 0) act.purge(actor)
  else erasePurged(actor.device)
}

/** A caller that sets the whole history: what it read, changed somewhere. */
function rewrite(play: Play): void {
  const { world, actor, pick } = play
  const { device } = actor
  const read = readView(device, device.rows.hot.head, 'context')
    .filter(({ type }) => type === 'message')
    .map((row) => valueOf(row)!['message'] as Message)
  const from = pick(read.length + 1)
  const to = from + pick(read.length + 1 - from)
  const more = [user(`question ${world.count++}`), assistant(`answer ${world.count++}`)].map(
    ({ data }) => data['message'] as Message,
  )
  const kept = [read, read.slice(from), [...read.slice(0, from), ...read.slice(to)], read.slice(0, from)][pick(4)]!
  act.setHistory(actor, [...kept, ...more.slice(0, pick(3))])
}

/** The file goes on, mostly at its end, and the device imports it, or what it was some time ago. */
function importFile({ world, actor, x, pick }: Play): void {
  const { device } = actor
  const { file } = world
  for (let n = pick(4); n > 0; n--) {
    const parent = file.at(pick(4) === 0 ? pick(file.length) : -1)
    const said =
      pick(5) === 0
        ? {
            type: 'compaction',
            data: { summary: `file summary ${file.length}` },
            ...(parent === undefined ? {} : { firstKept: parent.id }),
          }
        : pick(3) === 0
          ? user(`asked ${file.length}`)
          : assistant(`said ${file.length}`)
    file.push({ at: 1, ...said, id: `f${file.length}`, parentId: parent?.id ?? null })
  }
  const nodes = x % 3 === 0 ? file.slice(0, pick(file.length + 1)) : file
  const there = [...device.stored.values(), ...device.controls.values()].sort((a, b) => (a.order < b.order ? -1 : 1))
  receive(device, importTree('file', nodes, new Map(there.map((row) => [String(row.data['mid']), row]))))
}

/** Some of what one device has and another lacks reaches it, in a few transactions, some of it twice. */
function deliver(play: Play): void {
  const { world, observer, actor, x, pick } = play
  const { device } = actor
  const from =
    world.devices[(world.devices.indexOf(device) + 1 + (x % (world.devices.length - 1))) % world.devices.length]!
  const queues = bySender(missing(from, device))
  const wanted = pick(3) === 0 ? Infinity : pick(12) + 1
  const known = [...device.log.values()]
  let batch: Entry[] = []
  const flush = (): void => {
    receive(device, batch)
    observer.settled?.(device, world)
    batch = []
  }
  for (let n = 0; n < wanted && queues.length > 0; n++) {
    const at = pick(queues.length)
    batch.push(queues[at]!.shift()!)
    if (queues[at]!.length === 0) queues.splice(at, 1)
    if (known.length > 0 && pick(10) === 0) batch.push(known[pick(known.length)]!)
    if (pick(3) === 0) flush()
  }
  if (batch.length > 0) flush()
}

/** What one device has that another lacks, in sequence for each writer. */
export function missing(from: Device, to: Device): Entry[] {
  return [...from.log.values()].filter((entry) => !to.log.has(idOf(entry))).sort((a, b) => a.w - b.w || a.s - b.s)
}

/** The entries of each writer, in sequence. */
export function bySender(entries: readonly Entry[]): Entry[][] {
  const queues = new Map<number, Entry[]>()
  for (const entry of entries) {
    const queue = queues.get(entry.w)
    if (queue === undefined) queues.set(entry.w, [entry])
    else queue.push(entry)
  }
  return [...queues.values()]
}
