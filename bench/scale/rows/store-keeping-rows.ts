import type { SessionClient } from '../../../src/client/client-contract.ts'
import type { Entry } from '../../../src/contract/entry.ts'
import type { SessionStore } from '../../../src/contract/store/session-store.ts'
import { type Ground, inputsBetween, otherKey, shortMessage } from '../ground.ts'
import { flat, overAll, overMessages, overSessions, type RowsOf } from '../row.ts'

/** All raw entries of the session, in pages, as another device would ask for them. */
async function allEntries({ client, key }: Ground): Promise<Entry[][]> {
  const pages: Entry[][] = []
  let page = await client.store.changes(key)
  for (;;) {
    pages.push([...page.entries])
    if (page.next === undefined) return pages
    page = await client.store.changes(key, undefined, page.next)
  }
}

/** Entries of another session, made anew under this key. */
async function fewEntries({ client, next }: Ground): Promise<readonly Entry[]> {
  const key = `merged-${next()}`
  await client.store.append(key, inputsBetween(0, 50))
  const { entries } = await client.store.changes(key)
  await client.delete(key)
  await client.purge(key)
  return entries
}

type Methods = Exclude<keyof SessionStore, never>
type Kept = Pick<
  SessionStore,
  Extract<
    Methods,
    | 'listSessions'
    | 'flush'
    | 'unflushed'
    | 'putBlob'
    | 'getBlob'
    | 'getRows'
    | 'listRows'
    | 'writeRows'
    | 'listCollections'
    | 'checkRows'
    | 'reclaim'
    | 'save'
    | 'delete'
    | 'undelete'
    | 'purge'
    | 'claimTerm'
    | 'merge'
    | 'getVector'
    | 'changes'
    | 'listPurges'
    | 'forgetPurges'
    | 'verify'
    | 'repair'
    | 'usage'
    | 'close'
  >
>

/** Lists, blobs, exchange with elsewhere, and what goes over all that is stored. */
export const storeKeepingRows = {
  listSessions: {
    'first 50': flat(({ client }) => client.listSessions()),
    'first 50 by title': flat(({ client }) => client.listSessions({ order: 'title' })),
    'second 50': flat<string>(({ client }, cursor) => client.listSessions({ cursor }), {
      prepare: async ({ client }) => (await client.listSessions()).next!,
    }),
    'by a part of the title': overSessions(({ client }) => client.listSessions({ title: 'message 7' })),
  },
  flush: flat<unknown>(({ client }) => client.upkeep.flush(), {
    prepare: ({ client, key, next }) => client.store.append(key, [{ type: 'message', message: shortMessage(next()) }]),
  }),
  unflushed: flat(({ client }) => client.store.unflushed()),
  putBlob: flat(({ client, next }) => client.blobs.put(new Blob([`bytes ${next()}`]))),
  getBlob: flat<string>(({ client }, hash) => client.blobs.get(hash), {
    prepare: ({ client, next }) => client.blobs.put(new Blob([`bytes ${next()}`])),
  }),
  getRows: flat<string>(({ client }, key) => client.collection('bench').get(key), {
    prepare: async ({ client, next }) => {
      const key = `row ${next()}`
      await client.collection('bench').write([{ type: 'put', key, value: { n: 1 } }])
      return key
    },
  }),
  listRows: flat(({ client }) => client.collection('bench').range({ prefix: 'row ', limit: 10 })),
  writeRows: flat(({ client, next }) =>
    client.collection('bench').write([{ type: 'insertIfAbsent', key: `row ${next()}`, value: { n: 1 } }]),
  ),
  listCollections: flat(({ client }) => client.store.listCollections()),
  checkRows: flat(({ client }) => client.store.checkRows()),
  claimTerm: flat(({ client }) => client.store.claimTerm()),
  getVector: flat(({ client, key }) => client.store.getVector(key)),
  changes: {
    'what is new': flat(({ client, key }, vector) => client.store.changes(key, vector as never), {
      prepare: async (ground) => {
        const vector = (await ground.client.store.getVector(ground.key))!
        await ground.client.store.append(
          ground.key,
          inputsBetween(0, 10).map(({ type, message }) => ({ type, message })),
        )
        return vector as never
      },
    }),
    'first page': flat(({ client, key }) => client.store.changes(key)),
    everything: overMessages(allEntries),
  },
  merge: {
    '50 entries': flat<readonly Entry[]>(
      ({ client, next }, entries) => client.store.merge(`merged-${next()}`, entries),
      { prepare: fewEntries },
    ),
    'what is known already': flat<readonly Entry[]>(({ client, key }, entries) => client.store.merge(key, entries), {
      prepare: async ({ client, key }) => (await client.store.changes(key)).entries.slice(0, 50),
    }),
    everything: overMessages<Entry[][]>(
      async ({ client }, pages) => {
        for (const entries of pages) await client.store.merge('merged', entries, { durability: 'relaxed' })
      },
      {
        prepare: allEntries,
        tidy: ({ client }) => client.purge('merged'),
        isWhole: 'the caller holds all entries, which the browser goes over to collect garbage',
      },
    ),
  },
  listPurges: flat(({ client }) => client.store.listPurges()),
  forgetPurges: flat(({ client }) => client.store.forgetPurges()),
  verify: {
    'one session': overMessages(({ client, key }) => client.store.verify(key)),
    everything: overAll(({ client }) => client.store.verify(), {
      upTo: { messages: 100_000, why: 'ClientUpkeep.verify goes the same way' },
    }),
  },
  repair: { 'one session': overMessages(({ client, key }) => client.store.repair(key)) },
  usage: {
    'one session': flat(({ client, key }) => client.store.usage(key)),
    everything: overSessions(({ client }) => client.store.usage()),
  },
  reclaim: overMessages(({ client, key }) => client.store.reclaim(key)),
  save: overMessages(({ client, key }) => client.store.save(key)),
  delete: flat(({ client, key }) => client.delete(key), {
    when: 'late',
    tidy: ({ client, key }) => client.undelete(key),
  }),
  undelete: flat(({ client, key }) => client.undelete(key), {
    when: 'late',
    prepare: ({ client, key }) => client.delete(key) as never,
  }),
  purge: {
    'a small session': flat<string>(({ client }, key) => client.purge(key), {
      prepare: async ({ client, next }) => {
        const key = `purged-${next()}`
        await client.store.append(key, inputsBetween(0, 10))
        return key
      },
    }),
    'the session': overMessages(({ client, key }) => client.purge(key), { when: 'last', isOnce: true }),
  },
  close: flat<SessionClient>((_, client) => client.close(), {
    prepare: async ({ openAnother, sessions }) => {
      const client = await openAnother()
      await client.store.read(otherKey(sessions - 1), { last: 1 })
      return client
    },
  }),
} satisfies RowsOf<Kept>
