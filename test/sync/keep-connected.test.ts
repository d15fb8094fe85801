import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { Doc } from 'yjs'
import { keepConnected } from '../../src/sync/keep-connected.ts'
import type { SyncLink } from '../../src/sync/link.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => vi.useRealTimers())

/** Opens a document, and tells of each time what became of it. */
function connect(onOpen: (status: SyncLink['status']) => void, onClose: () => Promise<void> = async () => undefined) {
  const opened: number[] = []
  const link: SyncLink = {
    name: 'me/index',
    doc: new Doc(),
    receive: async () => undefined,
    peerHas: () => undefined,
    status: () => undefined,
  }
  const kept = keepConnected(
    {
      open: ({ status }) => {
        opened.push(Date.now())
        queueMicrotask(() => onOpen(status))
        return { ask: () => undefined, close: onClose }
      },
      close: async () => undefined,
    },
    link,
    { first: 100, longest: 400, random: () => 1 },
  )
  const waits = (): number[] => opened.slice(1).map((at, i) => at - opened[i]!)
  return { kept, waits }
}

it('a server that lets in and then refuses what it is sent is asked later each time', async () => {
  const { kept, waits } = connect((status) => {
    status({ state: 'connected' })
    status({ state: 'error', message: 'storage-full' })
  })
  await vi.advanceTimersByTimeAsync(1_600)
  expect(waits()).toEqual([100, 200, 400, 400, 400])
  await kept.close()
})

it('a connection that lasted is followed by the next one as soon as the first time', async () => {
  let lose: () => void = () => undefined
  const { kept, waits } = connect((status) => {
    status({ state: 'connected' })
    lose = () => status({ state: 'offline' })
  })
  for (let round = 0; round < 3; round++) {
    await vi.advanceTimersByTimeAsync(1_000)
    lose()
    await vi.advanceTimersByTimeAsync(100)
  }
  expect(waits()).toEqual([1_100, 1_100, 1_100])
  expect(vi.getTimerCount()).toBe(1)
  await kept.close()
  expect(vi.getTimerCount()).toBe(0)
})

it('a connection that can not be closed is followed by the next one, and holds up nobody', async () => {
  let end: () => void = () => undefined
  const { kept, waits } = connect(
    (status) => (end = () => status({ state: 'offline' })),
    () => Promise.reject(new Error('the socket is gone')),
  )
  await vi.advanceTimersByTimeAsync(1_000)
  end()
  await vi.advanceTimersByTimeAsync(100)
  expect(waits()).toEqual([1_100])
  await expect(kept.close()).resolves.toBeUndefined()
})
