import type { EntryRef } from '../../../src/contract/entry.ts'
import type { SessionStore } from '../../../src/contract/store/session-store.ts'
import { type Ground, groundAlias, inputsBetween, shortMessage } from '../ground.ts'
import { flat, overMessages, type RowsOf } from '../row.ts'

/** Entries that are appended for one call to work on. */
export const appended = async ({ client, key, next }: Ground): Promise<EntryRef> =>
  (await client.store.append(key, [{ type: 'message', message: shortMessage(next()) }])).entries[0]!

/** What gives a session its title, where it is the first. */
const questionAt = (i: number) => ({ ...shortMessage(i), role: 'user' })

type Methods = Pick<
  SessionStore,
  | 'append'
  | 'read'
  | 'edit'
  | 'remove'
  | 'find'
  | 'findByMid'
  | 'put'
  | 'transact'
  | 'pop'
  | 'clear'
  | 'getMeta'
  | 'updateMeta'
  | 'addMessage'
  | 'addFullMessage'
  | 'getHistory'
  | 'setHistory'
  | 'getSummary'
  | 'setSummary'
  | 'truncateHistory'
  | 'ensureSessionMetadata'
  | 'resolveSessionKey'
  | 'getSessionScope'
  | 'setCompaction'
>

/** Entries, metadata and PicoClaw's contract. */
export const storeEntryRows = {
  append: {
    one: flat(({ client, key, next }) =>
      client.store.append(key, [{ type: 'message', message: shortMessage(next()) }]),
    ),
    'one, known by an operation id': flat(({ client, key, next }) =>
      client.store.append(key, [{ type: 'message', message: shortMessage(next()) }], {
        operationId: `operation-${next()}`,
      }),
    ),
    hundred: flat(({ client, key, next }) =>
      client.store.append(
        key,
        inputsBetween(0, 100).map((input) => ({ ...input, mid: `new-${next()}` })),
      ),
    ),
    'to another session': flat(({ client, next }) =>
      client.store.append('small', [{ type: 'message', message: shortMessage(next()) }]),
    ),
  },
  read: {
    'last 50': flat(({ client, key }) => client.store.read(key, { last: 50 })),
    'first 50': flat(({ client, key }) => client.store.read(key, { after: '', limit: 50 })),
    'before the middle': flat(({ client, key, at }) => client.store.read(key, { before: at.middle.order, limit: 50 })),
    'a branch': flat(({ client, key, side }) => client.store.read(key, { branch: side.id, last: 50 })),
    'context, last 50': flat(({ client, key }) => client.store.read(key, { view: 'context', last: 50 })),
    'raw, last 50': flat(({ client, key }) => client.store.read(key, { view: 'raw', last: 50 })),
  },
  edit: {
    'the last': flat<EntryRef>(
      ({ client, key, next }, target) => client.store.edit(key, target, shortMessage(next())),
      { prepare: appended },
    ),
    'the first': flat(({ client, key, at, next }) => client.store.edit(key, at.first, questionAt(next()))),
    // The next one that can is looked for, in one block of rows.
    'the first, which gives no title any more': flat(
      ({ client, key, at, next }) => client.store.edit(key, at.first, { ...questionAt(next()), role: 'assistant' }),
      {
        prepare: ({ client, key, at, next }) => client.store.edit(key, at.first, questionAt(next())) as never,
        tidy: ({ client, key, at, next }) => client.store.edit(key, at.first, questionAt(next())),
      },
    ),
  },
  remove: flat<EntryRef>(({ client, key }, target) => client.store.remove(key, target), { prepare: appended }),
  findByMid: flat(({ client, key, messages }) =>
    client.store.findByMid(key, ['mid-0', `mid-${messages >> 1}`, 'mid-none']),
  ),
  find: {
    'by host id': flat(({ client, key, messages }) => client.store.find(key, { mid: `mid-${messages >> 1}` })),
    'by position': flat(({ client, key, at }) => client.store.find(key, at.middle)),
  },
  put: {
    'a new one': flat(({ client, key, next }) => client.store.put(key, shortMessage(next()), { mid: `put-${next()}` })),
    // Not the middle one, which the search looks for.
    'one that is there': flat(({ client, key, next, messages }) =>
      client.store.put(key, shortMessage(next()), { mid: `mid-${(messages >> 1) + 1}` }),
    ),
    'after the last': flat<EntryRef>(
      ({ client, key, next }, after) => client.store.put(key, shortMessage(next()), { mid: `put-${next()}`, after }),
      { prepare: appended },
    ),
  },
  transact: flat<EntryRef>(
    ({ client, key, next }, target) =>
      client.store.transact(key, [
        { type: 'append', entries: [{ type: 'message', message: shortMessage(next()) }] },
        { type: 'edit', target, content: shortMessage(next()) },
      ]),
    { prepare: appended },
  ),
  pop: flat<EntryRef>(({ client, key }) => client.store.pop(key), { prepare: appended }),
  clear: flat<string>(({ client }, key) => client.store.clear(key), {
    prepare: async ({ client, next }) => {
      const key = `clear-${next()}`
      await client.store.append(key, [{ type: 'message', message: shortMessage(next()) }])
      return key
    },
    tidy: ({ client }, key) => client.store.purge(key as string),
  }),
  getMeta: flat(({ client, key }) => client.store.getMeta(key)),
  updateMeta: flat(({ client, key, next }) => client.store.updateMeta(key, { title: `Title ${next()}` })),
  addMessage: flat(({ client, key, next }) => client.store.addMessage(key, 'user', `Said ${next()}`)),
  addFullMessage: flat(({ client, key, next }) => client.store.addFullMessage(key, shortMessage(next()))),
  getHistory: overMessages(({ client, key }) => client.store.getHistory(key)),
  setHistory: {
    'all, and one more': overMessages<readonly object[]>(
      ({ client, key, next }, history) => client.store.setHistory(key, [...history, shortMessage(next())] as never),
      {
        prepare: ({ client, key }) => client.store.getHistory(key),
        when: 'late',
        isWhole: 'the caller hands over all messages in one list',
      },
    ),
  },
  getSummary: flat(({ client, key }) => client.store.getSummary(key)),
  setSummary: flat(({ client, key, next }) => client.store.setSummary(key, `Summary ${next()}`)),
  ensureSessionMetadata: flat(({ client, key }) =>
    client.store.ensureSessionMetadata(key, { version: 1, agent_id: 'main', channel: 'bench', account: 'a' }, [
      groundAlias,
    ]),
  ),
  resolveSessionKey: flat(({ client }) => client.store.resolveSessionKey(groundAlias)),
  getSessionScope: flat(({ client, key }) => client.store.getSessionScope(key)),
  setCompaction: flat(
    ({ client, key, next }) => client.store.setCompaction(key, { summary: `Summary ${next()}`, keepLast: 200 }),
    { when: 'late' },
  ),
  truncateHistory: flat(({ client, key }) => client.store.truncateHistory(key, 150), { when: 'last' }),
} satisfies RowsOf<Methods>
