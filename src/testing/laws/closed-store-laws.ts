import { expect } from 'vitest'
import type { SessionStore } from '../../contract/store/session-store.ts'
import { calls, keyedMethods, type Scene, setScene } from '../calls.ts'
import { errorNameOf, everything, history, say, soon } from '../helpers.ts'
import { type Laws, lawsForEach, needs } from '../law.ts'

type AnyCall = (store: SessionStore, scene: Scene) => Promise<unknown>

const methods: readonly (readonly [string, AnyCall])[] = [
  ...keyedMethods.map(
    (method) => [method, (store, scene) => calls[method](store, 's', scene)] as readonly [string, AnyCall],
  ),
  ['listSessions', (store) => store.listSessions()],
  ['putBlob', (store) => store.putBlob(new Blob(['x']))],
  ['getBlob', (store) => store.getBlob('0'.repeat(64))],
  ['getRows', (store) => store.getRows('c', ['a'])],
  ['listRows', (store) => store.listRows('c')],
  ['writeRows', (store) => store.writeRows('c', [{ type: 'put', key: 'a', value: 1 }])],
  ['listCollections', (store) => store.listCollections()],
  ['checkRows', (store) => store.checkRows()],
  ['claimTerm', (store) => store.claimTerm()],
  ['listPurges', (store) => store.listPurges()],
  ['forgetPurges', (store) => store.forgetPurges()],
]

export const closedStoreLaws: Laws = {
  'L15: every method rejects with StorageClosed after close': async ({ store }) => {
    const scene = await setScene(store, 's')
    await store.close()
    const names = await Promise.all(
      methods.map(async ([method, call]) => [method, await errorNameOf(() => call(store, scene))]),
    )
    expect(names).toEqual(methods.map(([method]) => [method, 'StorageClosed']))
  },

  'L15: closes twice, also at the same time': async ({ store }) => {
    await say(store, 's', ['a'])
    await Promise.all([store.close(), store.close()])
    await store.close()
  },

  'L15: closes a store that was never used': async ({ store }) => {
    expect(await store.close()).toBeUndefined()
  },

  ...lawsForEach(methods, ([method, call]) => [
    `L15: ${method} settles when the store is closed in the meantime`,
    async ({ store }) => {
      const scene = await setScene(store, 's')
      if (method === 'undelete') await store.delete('s')
      const under = errorNameOf(() => call(store, scene))
      await store.close()
      expect([undefined, 'StorageClosed', ...(method === 'putBlob' ? ['StorageUnavailable'] : [])]).toContain(
        await under,
      )
    },
  ]),

  'L15: settles pending calls before it closes, in their order': async ({ store }) => {
    const done: number[] = []
    const under = Array.from({ length: 20 }, (_, i) => say(store, 's', [`m${i}`]).then(() => done.push(i)))
    await store.close()
    await Promise.all(under)
    expect(done).toEqual(Array.from({ length: 20 }, (_, i) => i))
  },

  'L15: keeps the writes it acknowledged while it was being closed': needs(['reopen'], async ({ store, reopen }) => {
    await say(store, 's', ['before'])
    const under = Promise.allSettled(Array.from({ length: 30 }, (_, i) => say(store, 's', [`m${i}`])))
    await store.close()
    const acknowledged = (await under).flatMap(({ status }, i) => (status === 'fulfilled' ? [`m${i}`] : []))
    const found = await history(await reopen(), 's')
    expect(found).toEqual(expect.arrayContaining(['before', ...acknowledged]))
    expect(new Set(found).size).toBe(found.length)
  }),

  'L15: works again when it is opened again, as often as it takes': needs(['reopen'], async ({ store, reopen }) => {
    const expected: string[] = []
    let one = store
    for (let i = 0; i < 4; i++) {
      await say(one, 's', [`m${i}`])
      expected.push(`m${i}`)
      await one.close()
      one = await reopen()
      expect(await history(one, 's')).toEqual(expected)
    }
    expect((await one.verify()).problems).toEqual([])
  }),

  'L15: leaves other stores on the same place open': needs(['openAnother'], async ({ store, openAnother }) => {
    const other = await openAnother()
    const scene = await setScene(store, 's')
    await store.dropDraft('s', scene.draft)
    const before = await everything(store, 's')
    await store.close()
    await soon(() => everything(other, 's'), before)
    await calls.append(other, 's', scene)
  }),

  'L15: every method answers right after opening': async ({ openElsewhere }) => {
    for (const [, call] of methods) {
      const name = await errorNameOf(async () =>
        call(await openElsewhere(), {
          first: { branch: '', order: '' },
          branch: '1.0',
          checkpoint: '1.1',
          draft: 'none',
        }),
      )
      expect([undefined, 'SessionNotFound', 'StorageUnavailable']).toContain(name)
    }
  },
}
