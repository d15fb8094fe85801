import { type FileHandle, open } from 'node:fs/promises'
import type { StoreChange } from '../../src/contract/change.ts'
import type { Entry, VersionVector } from '../../src/contract/entry.ts'
import type { SessionListing } from '../../src/contract/meta.ts'
import { writerKey } from '../../src/domain/address.ts'
import { automaticTitle } from '../../src/domain/title.ts'
import { covers, includesVector } from '../../src/domain/version-vector.ts'
import type { SyncStore } from '../../src/sync/sync-contract.ts'

interface FileSession {
  readonly vector: Record<string, number>
  readonly places: { readonly from: number; readonly length: number }[]
  listing: SessionListing
}

/**
 * A store that takes next to no time and memory: it checks nothing, writes entries into a file, and keeps of each
 * session where they are.
 */
export async function openFileStore(
  path: string,
): Promise<{
  readonly store: SyncStore
  readonly follow: (listener: (change: StoreChange) => void) => () => void
  close(): Promise<void>
}> {
  const file = await open(path, 'w+')
  const sessions = new Map<string, FileSession>()
  const listeners = new Set<(change: StoreChange) => void>()
  let end = 0
  const store: SyncStore = {
    listSessions: async ({ deleted } = {}) => ({
      sessions: deleted === true ? [] : [...sessions.values()].map(({ listing }) => listing),
      total: sessions.size,
    }),
    getVector: async (key): Promise<VersionVector | undefined> => sessions.get(key)?.vector,
    changes: async (key, since = {}) => {
      const session = sessions.get(key)
      if (session === undefined || includesVector(since, session.vector))
        return { entries: [], vv: session?.vector ?? {} }
      const entries = (await Promise.all(session.places.map((place) => readEntries(file, place)))).flat()
      return { entries: entries.filter(({ w, s }) => !covers(since, w, s)), vv: session.vector }
    },
    merge: async (key, entries) => {
      const bytes = new TextEncoder().encode(JSON.stringify(entries))
      const from = end
      end += bytes.length
      await file.write(bytes, 0, bytes.length, from)
      const session = sessions.get(key) ?? {
        vector: {},
        places: [],
        listing: {
          key,
          title: titleOf(entries),
          createdAt: entries[0]!.at,
          updatedAt: 0,
          messageCount: 0,
          archived: false,
        } as unknown as SessionListing,
      }
      sessions.set(key, session)
      session.places.push({ from, length: bytes.length })
      session.listing = {
        ...session.listing,
        updatedAt: Math.max(session.listing.updatedAt, ...entries.map(({ at }) => at)),
        messageCount: session.listing.messageCount + entries.length,
      }
      for (const { w, s } of entries) session.vector[writerKey(w)] = s + 1
      for (const listener of listeners)
        listener({
          type: 'session',
          key,
          session: 1,
          version: session.places.length,
          rows: [],
          reload: false,
          listing: session.listing,
        })
      return { added: entries.length, known: 0, refused: [] }
    },
    flush: async () => undefined,
    delete: async () => undefined as never,
    undelete: async () => undefined as never,
    purge: async () => undefined as never,
    listPurges: async () => [],
    forgetPurges: async () => undefined,
    resolveSessionKey: async (key) => key,
    putBlob: async () => '',
    getBlob: async () => undefined,
    listDrafts: async () => [],
  }
  return {
    store,
    follow: (listener) => (listeners.add(listener), () => void listeners.delete(listener)),
    close: () => file.close(),
  }
}

/**
 * As a store would take it of the account's messages, which came in order: whoever comes to another says so in the
 * list.
 */
const titleOf = (entries: readonly Entry[]): string =>
  automaticTitle(entries[0]!.data['message'] as { readonly content: string })

async function readEntries(
  file: FileHandle,
  { from, length }: FileSession['places'][number],
): Promise<readonly Entry[]> {
  const bytes = new Uint8Array(length)
  await file.read(bytes, 0, length, from)
  return JSON.parse(new TextDecoder().decode(bytes)) as Entry[]
}
