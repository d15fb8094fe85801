import * as Y from 'yjs'
import type { Entry, EntryView, SequenceRanges } from '../../../src/contract/entry.ts'
import type { SessionMeta } from '../../../src/contract/meta.ts'
import type { SessionStore } from '../../../src/contract/store/session-store.ts'
import { entryId, parseEntryId, writerKey } from '../../../src/domain/address.ts'
import { canonicalJson } from '../../../src/domain/canonical-json.ts'
import { isControl } from '../../../src/domain/control.ts'
import { importsEnd } from '../../../src/domain/imported-mid.ts'
import { covers, inRanges, joinRanges } from '../../../src/domain/version-vector.ts'
import { createSessionStore } from '../../../src/storage/create-session-store.ts'
import { createMemoryBackend } from '../../../src/storage/memory-backend.ts'
import { plainElements } from '../../../src/sync/plain-elements.ts'
import { openSyncDocument } from '../../../src/sync/sync-document.ts'
import type { Simulation } from './simulation.ts'

type View = 'raw' | 'transcript' | 'context'

interface LineView {
  readonly branch: string
  readonly view: View
  readonly rows: readonly EntryView[]
}

/** What a device knows of a session, in words to compare. */
interface Known {
  readonly log: readonly Entry[]
  readonly entries: string
  readonly lines: readonly LineView[]
  readonly fold: string
  readonly state: Uint8Array
}

/** Holds all devices against each other, the server and themselves. @throws the first law that is broken */
export async function checkLaws(simulation: Simulation): Promise<void> {
  const { devices, keys, server } = simulation
  for (const key of keys) {
    // Updates were lost on the way and their device was wiped: what it purged is gone from the server, and the purge
    // itself is not there.
    if (simulation.isHeadless || server.hasHeadlessPurge(key)) {
      simulation.headless += 1
      continue
    }
    const first = devices[0]!
    const expected = await knownOf(first.tabs[0]!.store, key, simulation.hasNames)
    const isFree = expected.log.length === 0
    for (const device of devices) {
      const name = simulation.nameOf(device)
      const store = device.tabs.at(-1)!.store
      const known = await knownOf(store, key, simulation.hasNames)
      same(known.entries, expected.entries, `${name} has other entries than a`)
      // A name under which nothing was written may be free on some: it was given up, and nobody asked for it since.
      if (!isFree) same(known.fold, expected.fold, `${name} shows something else than a`)
      sameBytes(known.state, expected.state, `the document of ${name} is not that of a`)
      sameBytes(
        Y.encodeStateAsUpdate(device.documents.get(key)!.doc),
        known.state,
        `the document of ${name} is not what its log makes`,
      )
      const { problems } = await store.verify()
      if (problems.length > 0) throw new Error(`${name} is damaged: ${JSON.stringify(problems[0])}`)
    }
    sameBytes(server.settledState(key), expected.state, 'the server has something else than the devices')
    if (!simulation.hasNames) await checkNewcomer(key, expected)
    const returned = reclaimedCopies(expected.log)
    for (const line of expected.lines) checkLine(line, simulation.hasNames, returned)
    checkPromises(simulation.promised.get(key)!, expected.log)
  }
  if (simulation.hasNames && simulation.headless === 0) await checkNames(simulation)
}

/**
 * Every name leads to the same session everywhere, also on a device that was never there, and whatever was said under
 * it is there.
 */
async function checkNames({ devices, keys, server }: Simulation): Promise<void> {
  const stores = devices.map(({ tabs }) => tabs.at(-1)!.store)
  for (const order of [keys, [...keys].reverse()]) stores.push(await newcomer(order, (key) => server.settledState(key)))
  const written = await Promise.all(keys.map(async (key) => (await readLog(stores[0]!, key)).length > 0))
  const found = await Promise.all(
    stores.map((store) =>
      namesOf(
        store,
        keys.filter((_, i) => written[i]),
      ),
    ),
  )
  for (const [i, names] of found.entries()) same(names, found[0]!, `${'abcde'[i]!} has other names than a`)
  for (const store of stores) {
    const { sessions: trash } = await store.listSessions({ deleted: true })
    for (const key of keys) {
      const owner = await store.resolveSessionKey(key)
      if (owner === key || trash.some((one) => one.key === key)) continue
      const there = await store.getVector(owner, { isKey: true })
      for (const { w, s, type, data } of await readLog(store, key)) {
        const isMark = type === 'meta' && typeof (data['set'] as { promotedTo?: unknown }).promotedTo === 'string'
        if (!isMark && !covers(there ?? {}, w, s))
          throw new Error(`entry ${entryId(w, s)} of ${key} is out of reach by its name, which leads to ${owner}`)
      }
    }
  }
}

async function namesOf(store: SessionStore, keys: readonly string[]): Promise<string> {
  const names = await Promise.all(
    keys.map(
      async (key) =>
        `${key} → ${await store.resolveSessionKey(key)}: ${sorted(withoutTimes(await store.getMeta(key)))} ${JSON.stringify(await store.getHistory(key))}`,
    ),
  )
  return names.join('\n')
}

async function newcomer(keys: readonly string[], stateOf: (key: string) => Uint8Array): Promise<SessionStore> {
  const store = createSessionStore(createMemoryBackend())
  for (const key of keys) {
    const document = await openSyncDocument({ store, key, name: key, elements: plainElements })
    const report = await document.receive(stateOf(key), 'server')
    if (report.quarantined.length > 0 || report.error !== undefined)
      throw new Error(`a newcomer did not take all: ${JSON.stringify(report)}`)
    await document.close()
  }
  return store
}

async function readLog(store: SessionStore, key: string): Promise<readonly Entry[]> {
  const entries: Entry[] = []
  for (let cursor: string | undefined; ; ) {
    const page = await store.changes(key, {}, cursor, { isKey: true })
    entries.push(...page.entries)
    if (page.next === undefined) return entries.sort((a, b) => a.w - b.w || a.s - b.s)
    cursor = page.next
  }
}

async function knownOf(store: SessionStore, key: string, hasNames = false): Promise<Known> {
  const meta = await store.getMeta(key)
  const lines: LineView[] = []
  for (const { id: branch } of meta?.branches ?? []) {
    for (const view of ['raw', 'transcript', 'context'] as const)
      lines.push({ branch, view, rows: (await store.read(key, { branch, view, after: '', limit: 4096 })).entries })
  }
  const document = await openSyncDocument({ store, key, name: key, elements: plainElements })
  const log = await readLog(store, key)
  const purged = purgedIn(log)
  const known: Known = {
    log,
    lines,
    // What was purged lies where it had come before, until that device compacts too.
    entries: log
      .filter(({ type, w, s }) => isNeverPurged(type) || !inRanges(purged, w, s))
      .map(({ w, s, crc }) => `${entryId(w, s)} ${crc}`)
      .join('\n'),
    fold: [
      sorted(Object.keys(purged).length === 0 && !hasNames ? meta : withoutTimes(meta)),
      sorted(await store.listCheckpoints(key)),
      await store.getSummary(key),
      sorted(await store.getVector(key)),
      ...(await store.getHistory(key)).map((message) => JSON.stringify(message)),
      ...lines.flatMap(({ branch, view, rows }) => [`${view} of ${branch}`, ...rows.map((row) => JSON.stringify(row))]),
    ].join('\n'),
    state: Y.encodeStateAsUpdate(document.doc),
  }
  await document.close()
  return known
}

const isNeverPurged = (type: string): boolean =>
  isControl(type) && !['edit', 'meta', 'checkpoint', 'compaction'].includes(type)

/**
 * When a session began and when it last changed is told by its entries: who never saw those that were purged knows no
 * better.
 */
function withoutTimes(meta: SessionMeta | undefined): unknown {
  return meta === undefined ? undefined : { ...meta, createdAt: 0, updatedAt: 0 }
}

function sorted(value: unknown): string {
  return value === undefined ? '' : canonicalJson(JSON.parse(JSON.stringify(value)) as never)
}

/** A device that was never there takes in everything at once. */
async function checkNewcomer(key: string, expected: Known): Promise<void> {
  const store = createSessionStore(createMemoryBackend())
  const document = await openSyncDocument({ store, key, name: key, elements: plainElements })
  const report = await document.receive(expected.state, 'server')
  if (report.quarantined.length > 0 || report.hasGap)
    throw new Error(`a newcomer did not take all: ${JSON.stringify(report)}`)
  const known = await knownOf(store, key)
  same(known.entries, expected.entries, 'a newcomer has other entries')
  same(known.fold, expected.fold, 'a newcomer shows something else')
  sameBytes(known.state, expected.state, 'the document of a newcomer is another one')
}

/** What a person or a model sees of a line. */
function checkLine({ branch, view, rows }: LineView, hasNames: boolean, returned: ReadonlySet<string>): void {
  const where = `${view} of line "${branch}"`
  const turns = rows.map(({ turn }) => turn)
  turns.forEach((turn, i) => {
    if (turn !== turns[i - 1] && turns.indexOf(turn) < i) throw new Error(`turn ${turn} is split in the ${where}`)
  })
  if (view === 'raw') return
  const texts = rows.flatMap(({ message }) => (typeof message?.content === 'string' ? [message.content] : []))
  texts.forEach((text, i) => {
    if (texts.indexOf(text) < i) throw new Error(`"${text}" is there twice in the ${where}`)
  })
  // Who is about to say what a tool gave when its session goes on in another finds other turns there.
  if (!hasNames)
    checkToolCalls(
      rows.filter(({ message }) => !returned.has(String(message?.content))),
      where,
    )
}

function checkToolCalls(rows: readonly EntryView[], where: string): void {
  const results = rows.map(({ message }) =>
    message?.role === 'tool' ? (message['tool_call_id'] as string) : undefined,
  )
  rows.forEach(({ message }, i) => {
    for (const { id } of (message?.['tool_calls'] as readonly { id: string }[] | undefined) ?? []) {
      if (!results.includes(id)) continue
      const end = results.findIndex((result, at) => at > i && result === undefined)
      if (!results.slice(i + 1, end < 0 ? undefined : end).includes(id))
        throw new Error(`call ${id} has no result behind it in the ${where}`)
    }
  })
}

/**
 * Imported calls that were removed and reclaimed, and that another state of their file has brought again, which may not
 * have their results: nothing is left that tells the two copies to be one.
 */
function reclaimedCopies(log: readonly Entry[]): ReadonlySet<string> {
  const purged = purgedIn(log)
  const importers = new Set(log.flatMap(({ w, clock }) => (clock.hp < importsEnd ? [w] : [])))
  return new Set(
    [...importers].flatMap((w) =>
      (purged[writerKey(w)] ?? []).flatMap(([from, to]) =>
        Array.from({ length: to - from }, (_, i) => `old call ${from + i}`),
      ),
    ),
  )
}

function checkPromises(promised: ReadonlySet<string>, log: readonly Entry[]): void {
  const there = new Set(log.map(({ w, s }) => entryId(w, s)))
  const purged = purgedIn(log)
  for (const id of promised) {
    if (there.has(id)) continue
    const { w, s } = parseEntryId(id)!
    if (!inRanges(purged, w, s)) throw new Error(`entry ${id} is lost`)
  }
}

function purgedIn(log: readonly Entry[]): SequenceRanges {
  return log
    .filter(({ type }) => type === 'purge')
    .reduce<SequenceRanges>((ranges, { data }) => joinRanges(ranges, data['ranges'] as SequenceRanges), {})
}

function same(found: string, expected: string, message: string): void {
  if (found === expected) return
  const [theirs, ours] = [found.split('\n'), expected.split('\n')]
  const at = theirs.findIndex((line, i) => line !== ours[i])
  throw new Error(
    `${message}: ${theirs
      .slice(Math.max(0, at - 3), at + 3)
      .join(' ')
      .slice(0, 400)} ≠ ${ours
      .slice(Math.max(0, at - 3), at + 3)
      .join(' ')
      .slice(0, 400)}`,
  )
}

function sameBytes(found: Uint8Array, expected: Uint8Array, message: string): void {
  if (Buffer.compare(found, expected) !== 0)
    throw new Error(`${message} (${found.length} and ${expected.length} bytes)`)
}
