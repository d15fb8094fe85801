import type { View } from '../../../src/contract/store/session-log.ts'
import type { SessionStore } from '../../../src/contract/store/session-store.ts'
import { crc32 } from '../../../src/domain/crc32.ts'
import { allChanges, readAll } from '../../../src/testing/helpers.ts'

const views: readonly View[] = ['transcript', 'context', 'raw']
const names = ['nickname', 'was', 'became', 'purged', 'never']

/** A long text by its length and checksum, so that a fixture stays small. */
const shortened = (_: string, value: unknown): unknown =>
  typeof value === 'string' && value.length > 1000 ? `${value.length} characters, ${crc32(value)}` : value

/** Everything that a store tells of what it holds, as plain data. */
export async function readStore(store: SessionStore): Promise<unknown> {
  const pages = await Promise.all(
    [{}, { deleted: true }, { archived: true }].map((query) => store.listSessions({ ...query, limit: 1000 })),
  )
  const keys = [...new Set([...pages.flatMap(({ sessions }) => sessions.map(({ key }) => key)), ...names])].sort()
  const sessions = []
  const hashes = new Set<string>()
  for (const key of keys) {
    const branches = await store.listBranches(key)
    const lines = []
    for (const branch of ['', ...branches.map(({ id }) => id)]) {
      for (const view of views) {
        const entries = await readAll(store, key, { branch, view })
        lines.push([branch, view, entries.length, crc32(JSON.stringify(entries))])
      }
    }
    const entries = await allChanges(store, key)
    for (const [hash] of JSON.stringify(entries).matchAll(/[0-9a-f]{64}/g)) hashes.add(hash)
    sessions.push({
      key,
      branches,
      lines,
      entries,
      meta: (await store.getMeta(key)) ?? null,
      history: crc32(JSON.stringify(await store.getHistory(key))),
      summary: await store.getSummary(key),
      checkpoints: await store.listCheckpoints(key),
      // What a draft was in format 1.
      drafts: (await store.listDrafts(key)).map(({ id, branch, role, text, reasoning, startedAt }) => ({
        id,
        branch,
        role,
        text,
        reasoning,
        startedAt,
      })),
      mids: (await store.findByMid(key, ['host-1'])).map((entry) => entry ?? null),
      named: await store.resolveSessionKey(key),
    })
  }
  const blobs = []
  for (const hash of [...hashes].sort()) {
    const blob = await store.getBlob(hash)
    blobs.push([hash, blob?.type ?? null, (await blob?.text()) ?? null])
  }
  const { sessions: count, entries, entryBytes, blobBytes, draftBytes } = await store.usage()
  const { problems } = await store.verify()
  // As JSON has it: what is absent and what is `undefined` are one.
  return JSON.parse(
    JSON.stringify(
      { lists: pages, sessions, blobs, usage: { count, entries, entryBytes, blobBytes, draftBytes }, problems },
      shortened,
    ),
  ) as unknown
}
