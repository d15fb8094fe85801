import type { Entry } from '../../../src/contract/entry.ts'
import type { SessionClient } from '../../../src/client/types.ts'
import type { SessionStore } from '../../../src/contract/store.ts'
import { type Ground, inputsBetween, otherKey, shortMessage } from '../ground.ts'
import { flat, overAll, overMessages, overSessions, type RowsOf } from '../row.ts'

/** All raw entries of the session, in pages, as another device would ask for them. */
async function allEntries({ client, key }: Ground): Promise<Entry[][]> {
  const pages: Entry[][] = []
  let page = await client.changes(key)
  for (;;) {
    pages.push([...page.entries])
    if (page.next === undefined) return pages
    page = await client.changes(key, undefined, page.next)
  }
}

/** Entries of another session, made anew under this key. */
async function fewEntries({ client, next }: Ground): Promise<readonly Entry[]> {
  const key = `merged-${next()}`
  await client.append(key, inputsBetween(0, 50))
  const { entries } = await client.changes(key)
  await client.delete(key)
  await client.purge(key)
  return entries
}

type Methods = Exclude<keyof SessionStore, never>
type Kept = Pick<
  SessionStore,
  Extract<
    Methods,
    | 'listSessions' | 'flush' | 'unflushed' | 'putBlob' | 'getBlob' | 'compact' | 'save' | 'delete' | 'undelete' | 'purge' | 'claimTerm' | 'merge' | 'getVector' | 'changes'
    | 'listPurges' | 'forgetPurges' | 'verify' | 'repair' | 'usage' | 'close'
  >
>

/** Lists, blobs, exchange with elsewhere, and what goes over all that is stored. */
export const storeKeepingRows = {
  listSessions: {
    'first 50': flat(({ client }) => client.listSessions()),
    'first 50 by title': flat(({ client }) => client.listSessions({ order: 'title' })),
    'second 50': flat<string>(({ client }, cursor) => client.listSessions({ cursor }), { prepare: async ({ client }) => (await client.listSessions()).next! }),
    'by a part of the title': overSessions(({ client }) => client.listSessions({ title: 'message 7' })),
  },
  flush: flat<unknown>(({ client }) => client.flush(), { prepare: ({ client, key, next }) => client.append(key, [{ type: 'message', message: shortMessage(next()) }]) }),
  unflushed: flat(({ client }) => client.unflushed()),
  putBlob: flat(({ client, next }) => client.putBlob(new Blob([`bytes ${next()}`]))),
  getBlob: flat<string>(({ client }, hash) => client.getBlob(hash), { prepare: ({ client, next }) => client.putBlob(new Blob([`bytes ${next()}`])) }),
  claimTerm: flat(({ client }) => client.claimTerm()),
  getVector: flat(({ client, key }) => client.getVector(key)),
  changes: {
    'what is new': flat(({ client, key }, vector) => client.changes(key, vector as never), {
      prepare: async (ground) => {
        const vector = (await ground.client.getVector(ground.key))!
        await ground.client.append(ground.key, inputsBetween(0, 10).map(({ type, message }) => ({ type, message })))
        return vector as never
      },
    }),
    'first page': flat(({ client, key }) => client.changes(key)),
    everything: overMessages(allEntries),
  },
  merge: {
    '50 entries': flat<readonly Entry[]>(({ client, next }, entries) => client.merge(`merged-${next()}`, entries), { prepare: fewEntries }),
    'what is known already': flat<readonly Entry[]>(({ client, key }, entries) => client.merge(key, entries), { prepare: async ({ client, key }) => (await client.changes(key)).entries.slice(0, 50) }),
    everything: overMessages<Entry[][]>(
      async ({ client }, pages) => {
        for (const entries of pages) await client.merge('merged', entries, { durability: 'relaxed' })
      },
      { prepare: allEntries, tidy: ({ client }) => client.purge('merged') },
    ),
  },
  listPurges: flat(({ client }) => client.listPurges()),
  forgetPurges: flat(({ client }) => client.forgetPurges()),
  verify: { 'one session': overMessages(({ client, key }) => client.verify(key)), everything: overAll(({ client }) => client.verify(), { upTo: { messages: 100_000, why: 'SessionClient.verifyStore goes the same way' } }) },
  repair: { 'one session': overMessages(({ client, key }) => client.repair(key)) },
  usage: { 'one session': flat(({ client, key }) => client.usage(key)), everything: overSessions(({ client }) => client.usage()) },
  compact: overMessages(({ client, key }) => client.compact(key)),
  save: overMessages(({ client, key }) => client.save(key)),
  delete: flat(({ client, key }) => client.delete(key), { when: 'late', tidy: ({ client, key }) => client.undelete(key) }),
  undelete: flat(({ client, key }) => client.undelete(key), { when: 'late', prepare: ({ client, key }) => client.delete(key) as never }),
  purge: {
    'a small session': flat<string>(({ client }, key) => client.purge(key), {
      prepare: async ({ client, next }) => {
        const key = `purged-${next()}`
        await client.append(key, inputsBetween(0, 10))
        return key
      },
    }),
    'the session': overMessages(({ client, key }) => client.purge(key), { when: 'last', isOnce: true }),
  },
  close: flat<SessionClient>((_, client) => client.close(), {
    prepare: async ({ openAnother, sessions }) => {
      const client = await openAnother()
      await client.read(otherKey(sessions - 1), { last: 1 })
      return client
    },
  }),
} satisfies RowsOf<Kept>
