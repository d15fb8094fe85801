import type { SessionClient } from '../../../src/client/client-contract.ts'
import type { SessionStore } from '../../../src/contract/store/session-store.ts'
import { groundAlias, groundKey, otherKey, shortMessage } from '../ground.ts'
import type { MethodsOf, RowsOf } from '../row.ts'
import { flat, overAll } from '../row.ts'
import { changed, watchTogether } from './live-row-helpers.ts'

type Methods = Pick<SessionClient, Exclude<MethodsOf<SessionClient>, keyof SessionStore>>

/** What a client has of its own; the rest are methods of its store. */
export const clientRows = {
  session: {
    'by key': flat(({ client, key }) => client.session(key)),
    'by alias': flat(({ client }) => client.session(groundAlias)),
    new: flat(({ client }) => client.session()),
    'by a message': flat(({ client, next }) => client.session({ channel: 'bench', chatId: `chat-${next()}` } as never)),
  },
  mainSession: flat(({ client }) => client.mainSession()),
  sessions: {
    'first value': flat(async ({ client }) => {
      using query = client.sessions()
      return await query.ready()
    }),
    '500 of them, until all show a change': flat((ground) =>
      watchTogether(
        500,
        () => ground.client.sessions(),
        async () =>
          void (await ground.client.store.append(otherKey(ground.next() % ground.sessions), [
            { type: 'message', message: shortMessage(ground.next()) },
          ])),
      ),
    ),
  },
  search: {
    'the first ever': overAll(
      async ({ client }, _, { signal, told }) => client.search('quick', { signal, onProgress: told }),
      { isOnce: true, tells: true, stops: true },
    ),
    'a word that one message has': flat(async ({ client, messages }) => {
      const content = shortMessage(messages >> 1).content as string
      const hits = await client.search(/about (\w+),/.exec(content)![1]!)
      if (!hits.some(({ key }) => key === groundKey)) throw new Error('The message was not found.')
    }),
    'a word that all messages have': overAll(({ client }) => client.search('quick')),
    'after an append': flat(({ client, next }) => client.search(`says ${next()}`), {
      prepare: ({ client, key, next }) =>
        client.store.append(key, [{ type: 'message', message: shortMessage(next()) }]) as never,
    }),
  },
  collection: flat(({ client }) => client.collection('bench').get('no row')),
  lead: flat(({ client }) => client.lead(async () => 1)),
  leadership: flat(async ({ client }) => {
    using query = client.leadership()
    return await query.ready()
  }),
  subscribe: flat(({ client }) => client.subscribe(() => undefined)()),
  [Symbol.asyncDispose]: {
    'opening, the last 50, closing': flat(async ({ openAnother, key }) => {
      await using client = await openAnother()
      await client.store.read(key, { last: 50 })
      return changed
    }),
  },
} satisfies RowsOf<Methods>
