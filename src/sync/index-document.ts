import * as Y from 'yjs'
import type { Clock } from '../contract/entry.ts'
import { clockStart, compareClocks, isClockValid, laterClock, tick } from '../domain/clock.ts'
import { sameContent } from './same-content.ts'
import { type IndexEntry, type IndexValue, readIndexValue } from './index-entry.ts'

const root = 'index'

/** How values are written into the list of sessions, and read. Under encryption the server sees neither titles nor keys. */
export interface IndexCodec {
  readonly write: (id: string, value: IndexValue) => unknown
  /** `undefined`: it can't be read here. */
  readonly read: (id: string, content: unknown) => unknown
}

/**
 * The list of sessions of all devices: one small document, from which a new device paints its list and each finds out which sessions changed.
 * Elements are `[document id, hp, hc, value]`; the latest of each id counts, and whoever sees the others takes them out. Not a Y.Map: of two that
 * set a key at once it keeps the one with the greater client id, which is the older one half of the time.
 */
export interface IndexDocument {
  readonly doc: Y.Doc
  entries(): ReadonlyMap<string, IndexEntry>
  /** Says something about sessions. @returns whether it was not said already */
  publish(values: readonly (readonly [id: string, value: IndexValue])[]): Promise<boolean>
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

export async function openIndexDocument({ name, codec, now, state, onChange }: IndexDocumentOptions): Promise<IndexDocument> {
  const doc = new Y.Doc({ guid: name })
  const list = doc.getArray<unknown>(root)
  const known = new WeakMap<object, Read | null>()
  let latest = new Map<string, IndexEntry>()
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

  /** Finds what counts, and takes out what doesn't. What can't be read here stays: others may have the key. */
  const review = async (): Promise<void> => {
    const elements = list.toArray()
    await readNew(elements)
    const best = new Map<string, { read: Read; at: number }>()
    const losers: number[] = []
    elements.forEach((element, at) => {
      const read = known.get(element as object)
      if (read === undefined || read === null) return
      clock = laterClock(clock, read.entry)
      const other = best.get(read.id)
      if (other === undefined || isLater(read, other.read)) {
        if (other !== undefined) losers.push(other.at)
        best.set(read.id, { read, at })
      } else losers.push(at)
    })
    latest = new Map([...best].map(([id, { read }]) => [id, read.entry]))
    // As one of ours: the others need to hear of it. Positions from the end, so that none moves the next.
    if (losers.length > 0) doc.transact(() => losers.sort((a, b) => b - a).forEach((at) => list.delete(at, 1)))
  }

  if (state !== undefined) {
    checkIndexUpdate(state)
    Y.applyUpdate(doc, state)
  }
  await review()

  return {
    doc,
    entries: () => latest,
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
          elements.push([id, clock.hp, clock.hc, await codec.write(id, value)])
        }
        doc.transact(() => list.push(elements))
        await review()
        onChange()
        return true
      }),
    receive: (update, origin) =>
      inTurn(async () => {
        checkIndexUpdate(update)
        const before = latest
        Y.applyUpdate(doc, update, origin)
        await review()
        if (before.size !== latest.size || [...latest].some(([id, entry]) => before.get(id) !== entry)) onChange()
      }),
  }
}

async function decode(element: object, codec: IndexCodec): Promise<Read | undefined> {
  if (!Array.isArray(element) || element.length !== 4) return undefined
  const [id, hp, hc, content] = element as readonly unknown[]
  if (typeof id !== 'string' || !Number.isSafeInteger(hp) || !Number.isSafeInteger(hc)) return undefined
  const clock = { hp: hp as number, hc: hc as number }
  if (clock.hp < 0 || clock.hc < 0 || !isClockValid(clock)) return undefined
  const value = readIndexValue(await codec.read(id, content))
  return value === undefined ? undefined : { id, entry: { ...value, ...clock } }
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
