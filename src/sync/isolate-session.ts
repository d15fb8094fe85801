import type { Entry } from '../contract/entry.ts'
import type { TermOptions } from '../contract/term.ts'
import { entryId } from '../domain/address.ts'
import { compareClocks } from '../domain/clock.ts'
import { readWholeLog } from './read-whole-log.ts'
import type { SyncStore } from './sync-contract.ts'

/** Rows of one transaction: other tabs wait while it lasts. */
const chunkSize = 500

export interface IsolateSessionOptions {
  readonly store: Pick<SyncStore, 'changes' | 'merge' | 'delete'>
  readonly key: string
  /** The life that was purged. */
  readonly life: number
  readonly term: TermOptions
}

/**
 * Keeps what is here of a session that another device purged and restarted under the same key. It is kept as deleted,
 * isolated under another key that is the same on every device that does this. This can be repeated, as after a crash.
 * The caller erases what is under the old key.
 *
 * @returns the other key
 */
export async function isolateSession({ store, key, life, term }: IsolateSessionOptions): Promise<string> {
  const entries = [...(await readWholeLog(store, key, {}))].sort((a, b) => a.w - b.w || a.s - b.s)
  const isolatedKey = `${key}~${nameOf(entries)}`
  for (let from = 0; from < entries.length; from += chunkSize) {
    const { refused } = await store.merge(isolatedKey, entries.slice(from, from + chunkSize), {
      isKey: true,
      gapsAreLost: true,
      ...term,
    })
    if (refused[0] !== undefined)
      throw new Error(`entry ${refused[0].id} could not be kept under another key (${refused[0].reason})`)
  }
  await store.delete(isolatedKey, { kept: true, life, ...term })
  return isolatedKey
}

/** The address of the oldest entry, which every device with this session has. */
function nameOf(entries: readonly Entry[]): string {
  const [first] = [...entries].sort((a, b) => compareClocks(a.clock, b.clock) || a.w - b.w)
  return first === undefined ? '' : entryId(first.w, first.s)
}
