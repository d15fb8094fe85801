import { expect } from 'vitest'
import { calls, repeatable, setScene } from '../calls.ts'
import { entryOf, history, numbered, refuses, say, transcript, user } from '../helpers.ts'
import type { Suite } from '../suite.ts'

export function idempotenceLaws({ law }: Suite): void {
  for (const method of repeatable) {
    law(`L8: ${method} changes nothing when it is repeated, and gives the first result`, async ({ store }) => {
      const scene = await setScene(store, 's')
      if (method === 'undelete') await store.delete('s')
      const options = { operationId: 'op-1' }
      const first = await calls[method](store, 's', scene, options)
      const { entries } = await store.usage('s')
      const meta = await store.getMeta('s')
      expect(await calls[method](store, 's', scene, options)).toEqual(first)
      expect((await store.usage('s')).entries).toBe(entries)
      expect(await store.getMeta('s')).toEqual(meta)
    })

    law(`L8: ${method} is done once when it is called twice at the same time`, async ({ store }) => {
      const scene = await setScene(store, 's')
      if (method === 'undelete') await store.delete('s')
      const options = { operationId: 'op-1' }
      const [first, second] = await Promise.all([calls[method](store, 's', scene, options), calls[method](store, 's', scene, options)])
      expect(second).toEqual(first)
      const { entries } = await store.usage('s')
      await calls[method](store, 's', scene, options)
      expect((await store.usage('s')).entries).toBe(entries)
    })
  }

  law('L8: refuses the same id with other content', async ({ store }) => {
    const operationId = 'op-1'
    await say(store, 's', ['a'], { operationId })
    await refuses(say(store, 's', ['b'], { operationId }), 'OperationConflict')
    await refuses(say(store, 's', ['a', 'b'], { operationId }), 'OperationConflict')
    await refuses(store.addMessage('s', 'user', 'c', { operationId }), 'OperationConflict')
    await refuses(store.updateMeta('s', { title: 'x' }, { operationId }), 'OperationConflict')
    await refuses(store.delete('s', { operationId }), 'OperationConflict')
    expect(await history(store, 's')).toEqual(['a'])
  })

  law('L8: gives the first result even when much happened since', async ({ store }) => {
    const options = { operationId: 'op-1' }
    const first = await store.append('s', [entryOf(user('a'))], options)
    await store.openBranch('s', { after: first.entries[0]! })
    await say(store, 's', ['b'])
    await store.truncateHistory('s', 0)
    expect(await store.append('s', [entryOf(user('a'))], options)).toEqual(first)
    expect(await transcript(store, 's')).toEqual([])
  })

  law('L8: counts ids for each session by itself', async ({ store }) => {
    const options = { operationId: 'op-1' }
    await say(store, 's', ['a'], options)
    await say(store, 't', ['b'], options)
    expect([await history(store, 's'), await history(store, 't')]).toEqual([['a'], ['b']])
  }, 'oneHistory')

  law('L8: does not remember a call that was refused', async ({ store }) => {
    const options = { operationId: 'op-1' }
    await refuses(store.append('s', [entryOf({ role: '' })], options), 'InvalidInput')
    await say(store, 's', ['a'], options)
    expect(await history(store, 's')).toEqual(['a'])
  })

  law('L8: remembers the newest 1,024 operations', async ({ store }) => {
    const ids = numbered(1_024, 'op')
    await say(store, 's', ['before'], { operationId: 'earlier' })
    await Promise.all(ids.map((operationId) => say(store, 's', [operationId], { operationId })))
    await say(store, 's', ['op0'], { operationId: 'op0' })
    await say(store, 's', ['op1023'], { operationId: 'op1023' })
    expect((await store.getMeta('s'))?.messageCount).toBe(1_025)
  }, 'newestOnly')

  law('L8: remembers when it is opened again', async ({ store, reopen }) => {
    const first = await store.append('s', [entryOf(user('a'))], { operationId: 'op-1' })
    await store.close()
    const again = await reopen()
    expect(await again.append('s', [entryOf(user('a'))], { operationId: 'op-1' })).toEqual(first)
    expect(await history(again, 's')).toEqual(['a'])
  }, 'reopen')

  law('L14: refuses ids that are no ids', async ({ store }) => {
    for (const operationId of ['', 5, {}]) await refuses(say(store, 's', ['a'], { operationId } as never), 'InvalidInput')
    expect(await store.getMeta('s')).toBeUndefined()
  })
}
