import { expect, it } from 'vitest'
import type { WorkerConnection } from '../../src/client/worker/connect-worker.ts'
import { createRemoteStore } from '../../src/client/worker/remote-store.ts'

/** A store whose worker notes what it is asked for, with held writes of the session "k" in front. */
function createHeld() {
  const asked: string[] = []
  const remote = new Proxy({} as Record<string, unknown>, {
    get: (_, method: string) =>
      method === 'batch'
        ? async (calls: readonly { readonly method: string }[]) => (
            asked.push(...calls.map((call) => call.method)), calls.map(() => ({ value: undefined }))
          )
        : async () => void asked.push(method),
  })
  let held: Promise<void> | undefined
  let settle: [store: () => void, refuse: (why: Error) => void] = [() => undefined, () => undefined]
  held = new Promise((resolve, reject) => {
    settle = [resolve, reject]
  })
  const { store, direct } = createRemoteStore('page', {
    connect: async () => ({ remote, end: () => undefined }) as unknown as WorkerConnection,
    watch: () => undefined,
    turn: (target) => (target === 'k' && held !== undefined ? () => held! : undefined),
    close: async () => undefined,
  })
  return {
    asked,
    store,
    direct,
    takeHeld: () => ((held = undefined), settle[0]()),
    refuseHeld: (why: Error) => settle[1](why),
  }
}

it('writes to a session come after its held ones in their order, and nothing else waits', async () => {
  const { asked, store, direct, takeHeld } = createHeld()
  const waiting = [store.addMessage('k', 'user', 'new'), store.writeDraft('k', 'd', 0, { text: 'more' })]
  await store.getHistory('k')
  await store.purge('k')
  await store.setSummary('other', 'short')
  await store.writeRows('k', [])
  await direct.addFullMessage('k', { role: 'user', content: 'held' })
  takeHeld()
  await Promise.all(waiting)
  expect(asked).toEqual([
    'getHistory',
    'purge',
    'setSummary',
    'writeRows',
    'addFullMessage',
    'addMessage',
    'writeDraft',
  ])
})

it('a write is sent as it was when it was made', async () => {
  const { store, takeHeld, asked } = createHeld()
  const refused = store.append('k', [{ type: 'message', message: { role: 'user', content: (() => '') as never } }])
  await expect(refused).rejects.toThrow()
  takeHeld()
  expect(asked).toEqual([])
})

it('a write is refused when the held ones of its session are', async () => {
  const { asked, store, refuseHeld } = createHeld()
  const waiting = store.addMessage('k', 'user', 'new')
  refuseHeld(new Error('no room'))
  await expect(waiting).rejects.toThrow('no room')
  expect(asked).toEqual([])
})
