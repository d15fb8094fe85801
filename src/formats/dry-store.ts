import { checkEntry } from '../contract/check-entry.ts'
import type { Entry } from '../contract/entry.ts'
import type { JsonValue } from '../contract/json.ts'
import type { SessionMeta } from '../contract/meta.ts'
import type { SessionStore } from '../contract/store/session-store.ts'
import { entryId } from '../domain/address.ts'
import { hash53 } from '../domain/hash53.ts'
import { entryProblem } from '../domain/seal.ts'

/** The part of a store that all imports together need. */
export type ImportFilesStore = Pick<
  SessionStore,
  | 'merge'
  | 'findByMid'
  | 'changes'
  | 'read'
  | 'resolveSessionKey'
  | 'getMeta'
  | 'updateMeta'
  | 'delete'
  | 'undelete'
  | 'purge'
  | 'usage'
  | 'getBlob'
  | 'putBlob'
  | 'getRows'
  | 'writeRows'
>

/**
 * Makes a store for dry runs of imports: it reads from the real store and records what would be stored, but writes
 * nothing. It remembers a hash of each merged host message id, so that a conversation that occurs twice is recognised.
 */
export function createDryStore(store: ImportFilesStore): ImportFilesStore {
  const merged = new Map<string, Set<number>>()
  const undeleted = new Set<string>()

  async function find(key: string, mids: readonly string[]): Promise<readonly (Entry | undefined)[]> {
    if (!undeleted.has(key)) return store.findByMid(key, mids)
    // The entries of a deleted session can't be looked up.
    const found = new Map<unknown, Entry>()
    for (let cursor: string | undefined, isFirst = true; isFirst || cursor !== undefined; isFirst = false) {
      const page = await store.changes(key, {}, cursor)
      for (const entry of page.entries) found.set(entry.data['mid'], entry)
      cursor = page.next
    }
    return mids.map((mid) => found.get(mid))
  }

  return {
    merge: async (key, entries) => {
      const there = merged.get(key) ?? new Set()
      merged.set(key, there)
      for (const { data } of entries) if (typeof data['mid'] === 'string') there.add(hash53(data['mid']))
      const refused = entries.flatMap((entry) => {
        const reason = problemOf(entry)
        return reason === undefined ? [] : [{ id: entryId(entry.w, entry.s), reason }]
      })
      return { added: entries.length - refused.length, known: 0, refused }
    },
    findByMid: async (key, mids) => {
      const found = await find(key, mids)
      const there = merged.get(key)
      return there === undefined
        ? found
        : found.map((entry, i) => entry ?? (there.has(hash53(mids[i]!)) ? standIn(mids[i]!) : undefined))
    },
    getMeta: async (key) => {
      const meta = await store.getMeta(key)
      if (meta === undefined) return merged.has(key) ? ({ key } as SessionMeta) : undefined
      const { deletedAt: _, ...rest } = meta
      return undeleted.has(key) ? rest : meta
    },
    undelete: async (key) => void undeleted.add(key),
    updateMeta: async (key) => (await store.getMeta(key)) ?? ({ key } as SessionMeta),
    delete: async () => {},
    purge: async () => {},
    putBlob: async () => '',
    getBlob: (hash) => store.getBlob(hash),
    getRows: (collection, keys) => store.getRows(collection, keys),
    writeRows: async (collection, ops) => {
      const found = await store.getRows(
        collection,
        ops.map(({ key }) => key),
      )
      return found.map((value) => value === undefined)
    },
    usage: (key) => store.usage(key),
    read: (key, options) => store.read(key, options),
    changes: (key, since, cursor) => store.changes(key, since, cursor),
    resolveSessionKey: (key) => store.resolveSessionKey(key),
  }
}

/** A placeholder for an entry that would exist. Only its existence matters. */
function standIn(mid: string): Entry {
  return { w: 1, s: 0, branch: '', type: 'message', data: { mid }, at: 0, clock: { hp: 1, hc: 0 }, order: '', crc: 0 }
}

/** The reason for which a store would refuse an entry. */
function problemOf(entry: Entry): string | undefined {
  const problem = checkEntry(entry as unknown as JsonValue)
  return problem === undefined ? entryProblem(entry) : `${['entry', ...problem.path].join('.')} ${problem.reason}`
}
