import * as Y from 'yjs'
import { applyIndexUpdate, indexRoot } from './apply-index-update.ts'
import type { IndexCodec, KeyMarks } from './index-codec.ts'
import type { IndexEntry, IndexValue } from './index-entry.ts'
import { createIndexView } from './index-view.ts'
import { sameContent } from './same-content.ts'
import { createTaskQueue } from './task-queue.ts'

/**
 * The list of sessions of all devices: one small document, from which a new device shows its list and each device finds
 * out which sessions changed. Elements are `[document id, hp, hc, value]`; of each id the latest element of the latest
 * life counts, and the next device that publishes removes the others. It is not a Y.Map, which would keep the value
 * with the greater client id when two devices set a key at once, and so the older one half of the time. Key records are
 * elements, too, as bytes.
 */
export interface IndexDocument {
  readonly doc: Y.Doc
  entries(): ReadonlyMap<string, IndexEntry>
  marks(): KeyMarks
  /** Publishes values. @returns whether any of them was new */
  publish(values: readonly (readonly [id: string, value: IndexValue])[]): Promise<boolean>
  /** Publishes which key is used. @returns whether that was new */
  addRecord(record: Uint8Array): Promise<boolean>
  /** Removes the values under these ids. */
  forget(ids: ReadonlySet<string>): Promise<void>
  /**
   * Takes in an update from elsewhere, without the parts that depend on something missing. Rejects with what is wrong
   * with it, having changed nothing.
   *
   * @returns whether something was left out: ask for what is missing
   */
  receive(update: Uint8Array, origin: unknown): Promise<boolean>
}

export interface IndexDocumentOptions {
  readonly name: string
  readonly codec: IndexCodec
  readonly now: () => number
  /** What an earlier run saved, so that only what is new travels. */
  readonly state?: Uint8Array | undefined
  /** Called when the values that count have changed. */
  readonly onChange: () => void
}

export async function openIndexDocument(options: IndexDocumentOptions): Promise<IndexDocument> {
  const { name, codec, now, state, onChange } = options
  const doc = new Y.Doc({ guid: name })
  const list = doc.getArray<unknown>(indexRoot)
  const view = createIndexView(list, codec)
  const { run: inTurn } = createTaskQueue()

  const remove = (positions: readonly number[]): void =>
    doc.transact(() => positions.forEach((at) => list.delete(at, 1)))
  /** Adds elements and removes those that no longer count. What cannot be read here stays: others may have the key. */
  const add = async (elements: readonly unknown[]): Promise<void> => {
    doc.transact(() => list.push([...elements]))
    await view.review()
    const obsolete = view.takeObsolete()
    if (obsolete.length > 0) remove(obsolete)
    onChange()
  }

  if (state !== undefined) applyIndexUpdate(doc, state, undefined)
  await view.review()

  return {
    doc,
    entries: view.entries,
    marks: view.marks,
    publish: (values) =>
      inTurn(async () => {
        const changed = values.filter(([id, value]) => !isPublished(value, view.entries().get(id)))
        if (changed.length === 0) return false
        const elements: unknown[] = []
        for (const [id, value] of changed) {
          const clock = view.nextClock(now())
          elements.push([id, clock.hp, clock.hc, await codec.write(id, clock, value)])
        }
        await add(elements)
        return true
      }),
    addRecord: (record) =>
      inTurn(async () => {
        if (view.marks().records.some((one) => sameContent(one, record))) return false
        await add([record])
        return true
      }),
    forget: (ids) =>
      inTurn(async () => {
        remove(await view.positionsOf(ids))
        if (await view.review()) onChange()
      }),
    receive: (update, origin) =>
      inTurn(async () => {
        const hasGap = applyIndexUpdate(doc, update, origin)
        if (await view.review()) onChange()
        return hasGap
      }),
  }
}

function isPublished(value: IndexValue, entry: IndexEntry | undefined): boolean {
  const { hp: _, hc: __, ...published } = entry ?? { hp: 0, hc: 0 }
  return sameContent(published, value)
}
