import * as Y from 'yjs'
import type { Clock, VersionVector } from '../contract/entry.ts'
import { KeyMissing } from './encryption/key-missing.ts'
import { isKeyRecord } from './encryption/is-key-record.ts'
import { clockStart, compareClocks, isClockValid, laterClock, tick } from '../domain/clock.ts'
import { includesVector, joinVectors } from '../domain/version-vector.ts'
import { sameContent } from './same-content.ts'
import { type IndexEntry, type IndexValue, readIndexValue } from './index-entry.ts'
import { createTaskQueue } from './task-queue.ts'
import { withoutGaps } from './without-gaps.ts'

const root = 'index'

/** How values are written into the list of sessions, and read. Under encryption the server sees neither titles nor keys. */
export interface IndexCodec {
  readonly write: (id: string, clock: Clock, value: IndexValue) => unknown
  /** The value; `undefined`: it is none; or that it was sealed with a key that is not here. Neither throws nor rejects. */
  readonly read: (id: string, clock: Clock, content: unknown) => unknown
}

/** What the list says of the keys that others use. A new object whenever that has changed. */
export interface KeyMarks {
  /** Key records, as they came. */
  readonly records: readonly Uint8Array[]
  /** How many values were sealed with keys that are not here, and how many are in the clear. */
  readonly sealed: number
  readonly plain: number
}

/**
 * The list of sessions of all devices: one small document, from which a new device paints its list and each finds out which sessions changed.
 * Elements are `[document id, hp, hc, value]`; the latest of each id's latest life counts, and whoever says something next takes the others out. Not a Y.Map: of two that
 * set a key at once it keeps the one with the greater client id, which is the older one half of the time. Key records stand beside them, as bytes.
 */
export interface IndexDocument {
  readonly doc: Y.Doc
  entries(): ReadonlyMap<string, IndexEntry>
  marks(): KeyMarks
  /** Says something about sessions. @returns whether it was not said already */
  publish(values: readonly (readonly [id: string, value: IndexValue])[]): Promise<boolean>
  /** Says which key is used. @returns whether it was not said already */
  addRecord(record: Uint8Array): Promise<boolean>
  /** Takes out what is said under these ids. */
  forget(ids: ReadonlySet<string>): Promise<void>
  /**
   * Takes in an update from elsewhere, but for what stands on something that is missing here. Rejects with what is wrong with it, having changed nothing.
   *
   * @returns whether something was left out: ask for what is missing
   */
  receive(update: Uint8Array, origin: unknown): Promise<boolean>
}

export interface IndexDocumentOptions {
  readonly name: string
  readonly codec: IndexCodec
  readonly now: () => number
  /** What an earlier run kept, so that only what is new travels. */
  readonly state?: Uint8Array | undefined
  /** Called when what counts has changed. */
  readonly onChange: () => void
}

interface Read {
  readonly id: string
  readonly entry: IndexEntry
}

const noMarks: KeyMarks = { records: [], sealed: 0, plain: 0 }

export async function openIndexDocument({ name, codec, now, state, onChange }: IndexDocumentOptions): Promise<IndexDocument> {
  const doc = new Y.Doc({ guid: name })
  const list = doc.getArray<unknown>(root)
  const known = new WeakMap<object, Read | KeyMissing | null>()
  let latest = new Map<string, IndexEntry>()
  let marks = noMarks
  let losers: readonly number[] = []
  let clock: Clock = clockStart
  const { run: inTurn } = createTaskQueue()

  /** Each once: a list of a thousand changes a thousand times while it is made. */
  const readNew = (elements: readonly unknown[]): Promise<unknown> =>
    Promise.all(elements.flatMap((element) => {
      if (typeof element !== 'object' || element === null || known.has(element)) return []
      return [decode(element, codec).then((read) => known.set(element, read ?? null))]
    }))
  const readOf = (element: unknown): Read | KeyMissing | undefined => (typeof element === 'object' && element !== null ? (known.get(element) ?? undefined) : undefined)

  /** Finds what counts. @returns whether it is something else than before */
  const review = async (): Promise<boolean> => {
    const elements = list.toArray()
    await readNew(elements)
    const best = new Map<string, Read>()
    const said: { readonly read: Read; readonly at: number }[] = []
    const purged = new Map<string, VersionVector>()
    const records = new Map<string, Uint8Array>()
    const over: number[] = []
    let [sealed, plain] = [0, 0]
    elements.forEach((element, at) => {
      const read = readOf(element)
      if (read instanceof KeyMissing) return void (sealed += 1)
      if (read === undefined) {
        const record = recordIn(element)
        if (record !== undefined && records.has(record.join())) over.push(at)
        else if (record !== undefined) records.set(record.join(), record)
        else if (isPlain(element)) plain += 1
        return
      }
      clock = laterClock(clock, read.entry)
      said.push({ read, at })
      const other = best.get(read.id)
      if (other === undefined || isLater(read, other)) best.set(read.id, read)
    })
    // A purge of its life that the latest doesn't know of stays, or it would be unsaid. One of an earlier life says nothing any more.
    for (const { read, at } of said) {
      const latest = best.get(read.id)!
      const said = read.entry.life === latest.entry.life ? (read.entry.purged ?? {}) : {}
      if (Object.keys(said).length > 0) purged.set(read.id, joinVectors(purged.get(read.id) ?? {}, said))
      if (read !== latest && includesVector(latest.entry.purged ?? {}, said)) over.push(at)
    }
    losers = over
    const [before, beforeMarks] = [latest, marks]
    latest = new Map([...best].map(([id, { entry }]) => [id, withPurged(entry, purged.get(id))]))
    const found: KeyMarks = { records: [...records.values()], sealed, plain }
    if (!sameContent(beforeMarks, found)) marks = found
    return marks !== beforeMarks || before.size !== latest.size || [...latest].some(([id, entry]) => before.get(id) !== entry && !sameContent(before.get(id), entry))
  }

  /** Says something, and takes out what counts no more. What can't be read here stays: others may have the key. */
  const say = async (elements: readonly unknown[]): Promise<void> => {
    doc.transact(() => list.push([...elements]))
    await review()
    // Positions from the end, so that none moves the next.
    if (losers.length > 0) doc.transact(() => [...losers].sort((a, b) => b - a).forEach((at) => list.delete(at, 1)))
    losers = []
    onChange()
  }

  if (state !== undefined) {
    apply(doc, state, undefined)
  }
  await review()

  return {
    doc,
    entries: () => latest,
    marks: () => marks,
    publish: (values) =>
      inTurn(async () => {
        const news = values.filter(([id, value]) => {
          const { hp: _, hc: __, ...said } = latest.get(id) ?? { hp: 0, hc: 0 }
          return !sameContent(said, value)
        })
        if (news.length === 0) return false
        const elements: unknown[] = []
        for (const [id, value] of news) {
          clock = tick(clock, now())
          elements.push([id, clock.hp, clock.hc, await codec.write(id, clock, value)])
        }
        await say(elements)
        return true
      }),
    addRecord: (record) =>
      inTurn(async () => {
        if (marks.records.some((one) => sameContent(one, record))) return false
        await say([record])
        return true
      }),
    forget: (ids) =>
      inTurn(async () => {
        await readNew(list.toArray())
        const gone = list.toArray().map(readOf).flatMap((read, at) => (read !== undefined && !(read instanceof KeyMissing) && ids.has(read.id) ? [at] : []))
        doc.transact(() => gone.reverse().forEach((at) => list.delete(at, 1)))
        if (await review()) onChange()
      }),
    receive: (update, origin) =>
      inTurn(async () => {
        const hasGap = apply(doc, update, origin)
        if (await review()) onChange()
        return hasGap
      }),
  }
}

async function decode(element: object, codec: IndexCodec): Promise<Read | KeyMissing | undefined> {
  if (!Array.isArray(element) || element.length !== 4) return undefined
  const [id, hp, hc, content] = element as readonly unknown[]
  if (typeof id !== 'string' || !Number.isSafeInteger(hp) || !Number.isSafeInteger(hc)) return undefined
  const clock = { hp: hp as number, hc: hc as number }
  if (clock.hp < 0 || clock.hc < 0 || !isClockValid(clock)) return undefined
  const found = await codec.read(id, clock, content)
  if (found instanceof KeyMissing) return found
  const value = readIndexValue(found)
  return value === undefined ? undefined : { id, entry: { ...value, ...clock } }
}

/** The key record that an element is. */
function recordIn(element: unknown): Uint8Array | undefined {
  return isKeyRecord(element) ? element : undefined
}

/** A value that nobody sealed, where they are sealed. */
function isPlain(element: unknown): boolean {
  return Array.isArray(element) && element.length === 4 && readIndexValue(element[3]) !== undefined
}

/** With all that was ever purged of this life of it. Who said the latest without knowing of that spoke of what is gone. */
function withPurged(entry: IndexEntry, purged: VersionVector | undefined): IndexEntry {
  if (purged === undefined || includesVector(entry.purged ?? {}, purged)) return entry
  return { ...entry, purged, hash: '' }
}

function isLater(a: Read, b: Read): boolean {
  const lives = (a.entry.life ?? 0) - (b.entry.life ?? 0)
  if (lives !== 0) return lives > 0
  const difference = compareClocks(a.entry, b.entry)
  // Two devices may speak in the same tick: all must come to the same.
  return difference > 0 || (difference === 0 && a.entry.hash > b.entry.hash)
}

/** @returns whether something of it was left out, because it stands on what is missing. @throws having changed nothing */
function apply(doc: Y.Doc, update: Uint8Array, origin: unknown): boolean {
  const decoded = Y.decodeUpdate(update)
  checkIndexUpdate(decoded)
  const rest = withoutGaps(doc, update, decoded)
  Y.applyUpdate(doc, rest, origin)
  const { store } = doc
  const hasGap = rest !== update || store.pendingStructs !== null || store.pendingDs !== null
  // Yjs would keep it, and send it to everybody, for ever: what is missing may never have been.
  store.pendingStructs = null
  store.pendingDs = null
  return hasGap
}

const kinds = [Y.ContentAny, Y.ContentBinary, Y.ContentDeleted] as const

/** What may be in the list: plain elements of its root array, key records, and deletions. @throws */
function checkIndexUpdate({ structs }: ReturnType<typeof Y.decodeUpdate>): void {
  for (const struct of structs) {
    if (!(struct instanceof Y.Item)) continue
    if (struct.parentSub !== null || !kinds.some((kind) => struct.content instanceof kind)) throw new Error('the list of sessions holds something else than its elements')
    if (struct.origin === null && struct.rightOrigin === null && (struct.parent as unknown) !== root) throw new Error('the list of sessions names another list')
  }
}
