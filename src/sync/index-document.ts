import * as Y from 'yjs'
import type { Clock } from '../contract/entry.ts'
import { KeyMissing } from './encryption/key-missing.ts'
import { readKeyRecord } from './encryption/key-record.ts'
import { clockStart, compareClocks, isClockValid, laterClock, tick } from '../domain/clock.ts'
import { sameContent } from './same-content.ts'
import { type IndexEntry, type IndexValue, readIndexValue } from './index-entry.ts'

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
 * Elements are `[document id, hp, hc, value]`; the latest of each id counts, and whoever says something next takes the others out. Not a Y.Map: of two that
 * set a key at once it keeps the one with the greater client id, which is the older one half of the time. Key records stand beside them, as `[bytes]`.
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
  /** Takes in an update from elsewhere. Rejects with what is wrong with it, having changed nothing. */
  receive(update: Uint8Array, origin: unknown): Promise<void>
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
  let last: Promise<unknown> = Promise.resolve()
  const inTurn = <T>(task: () => Promise<T>): Promise<T> => {
    const run = last.then(task)
    last = run.catch(() => undefined)
    return run
  }

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
    const best = new Map<string, { read: Read; at: number }>()
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
      const other = best.get(read.id)
      if (other !== undefined && !isLater(read, other.read)) return void over.push(at)
      if (other !== undefined) over.push(other.at)
      best.set(read.id, { read, at })
    })
    losers = over
    const [before, beforeMarks] = [latest, marks]
    latest = new Map([...best].map(([id, { read }]) => [id, read.entry]))
    const found: KeyMarks = { records: [...records.values()], sealed, plain }
    if (!sameContent(beforeMarks, found)) marks = found
    return marks !== beforeMarks || before.size !== latest.size || [...latest].some(([id, entry]) => before.get(id) !== entry)
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
    checkIndexUpdate(state)
    Y.applyUpdate(doc, state)
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
        await say([[record]])
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
        checkIndexUpdate(update)
        Y.applyUpdate(doc, update, origin)
        if (await review()) onChange()
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

/** The key record that an element is. Whether it is to be believed is another question. */
function recordIn(element: unknown): Uint8Array | undefined {
  const record: unknown = Array.isArray(element) && element.length === 1 ? element[0] : undefined
  return record instanceof Uint8Array && readKeyRecord(record) !== undefined ? record : undefined
}

/** A value that nobody sealed, where they are sealed. */
function isPlain(element: unknown): boolean {
  return Array.isArray(element) && element.length === 4 && readIndexValue(element[3]) !== undefined
}

function isLater(a: Read, b: Read): boolean {
  const difference = compareClocks(a.entry, b.entry)
  // Two devices may speak in the same tick: all must come to the same.
  return difference > 0 || (difference === 0 && a.entry.hash > b.entry.hash)
}

/** What may be in the list: plain elements of its root array, and deletions. @throws */
function checkIndexUpdate(update: Uint8Array): void {
  for (const struct of Y.decodeUpdate(update).structs) {
    if (!(struct instanceof Y.Item)) continue
    if (struct.parentSub !== null || !(struct.content instanceof Y.ContentAny || struct.content instanceof Y.ContentDeleted)) throw new Error('the list of sessions holds something else than its elements')
    if (struct.origin === null && struct.rightOrigin === null && (struct.parent as unknown) !== root) throw new Error('the list of sessions names another list')
  }
}
