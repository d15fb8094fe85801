import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import type { Entry } from '../../src/contract/entry.ts'
import { sha256 } from '../../src/domain/sha256.ts'
import type { BlobExchange } from '../../src/sync/blob-exchange.ts'
import { createBlobExchange } from '../../src/sync/create-blob-exchange.ts'

beforeEach(() => vi.useFakeTimers())
afterEach(() => vi.useRealTimers())

const minute = 60_000

/** A device that has nothing of what it is told of, and a place from which it asks for it. */
function openExchange(has: (hash: string) => Blob | undefined): {
  readonly exchange: BlobExchange
  readonly asked: string[]
  readonly stored: Blob[]
} {
  const asked: string[] = []
  const stored: Blob[] = []
  const exchange = createBlobExchange({
    store: { getBlob: async () => undefined, putBlob: async (bytes) => (stored.push(bytes as Blob), '') },
    blobs: {
      putBlob: async () => undefined,
      hasBlob: async () => false,
      getBlob: async (_, hash) => (asked.push(hash), has(hash)),
    },
    namespace: 'n',
    onChange: () => undefined,
  })
  return { exchange, asked, stored }
}

const naming = (...texts: readonly string[]): readonly Entry[] =>
  texts.map(
    (text) => ({ type: 'message', data: { message: { content: `blob:${sha256([text])}` } } }) as unknown as Entry,
  )

it('asks for what is missing as long as it is connected, more and more rarely, and has it once it is there', async () => {
  let isThere = false
  const { exchange, asked, stored } = openExchange(() => (isThere ? new Blob(['late']) : undefined))
  exchange.fetch(naming('late'))
  const counts: number[] = []
  for (const seconds of [1, 5, 20, 80, 320, 900, 900, 8100]) {
    await vi.advanceTimersByTimeAsync(seconds * 1000)
    counts.push(asked.length)
  }
  expect(counts).toEqual([1, 2, 3, 4, 5, 6, 7, 16])
  isThere = true
  await vi.advanceTimersByTimeAsync(15 * minute)
  expect([stored.length, exchange.counts()]).toEqual([1, { sent: 0, received: 1, missing: 0 }])
  await vi.advanceTimersByTimeAsync(60 * minute)
  expect(asked.length).toBe(17)
})

it('asks for a hundred at once of what was missing for long, each in its turn, and for the others at once when one has come', async () => {
  const texts = Array.from({ length: 250 }, (_, n) => `missing ${n}`)
  let isThere = false
  const bytes = new Map(texts.map((text) => [sha256([text]), new Blob([text])]))
  const { exchange, asked } = openExchange((hash) => (isThere ? bytes.get(hash) : undefined))
  exchange.fetch(naming(...texts))
  await vi.advanceTimersByTimeAsync(1000)
  expect(asked.splice(0).length).toBe(250)
  await vi.advanceTimersByTimeAsync(106_000)
  const first = asked.splice(0)
  expect([first.length, new Set(first).size]).toEqual([300, 250])
  isThere = true
  await vi.advanceTimersByTimeAsync(330_000)
  expect(exchange.counts()).toEqual({ sent: 0, received: 250, missing: 0 })
})

it('asks for nothing while it is not connected', async () => {
  const { exchange, asked } = openExchange(() => undefined)
  exchange.fetch(naming('gone'))
  await vi.advanceTimersByTimeAsync(1000)
  exchange.pause()
  await vi.advanceTimersByTimeAsync(60 * minute)
  expect(asked.length).toBe(1)
  exchange.retry()
  await vi.advanceTimersByTimeAsync(1000)
  expect(asked.length).toBe(2)
  exchange.close()
  await vi.advanceTimersByTimeAsync(60 * minute)
  expect(asked.length).toBe(2)
})

it('count what is still being looked for as open, so that the next run has it', () => {
  const exchange = createBlobExchange({
    store: { getBlob: () => new Promise(() => undefined), putBlob: async () => '' },
    blobs: { putBlob: async () => undefined, hasBlob: async () => false, getBlob: async () => undefined },
    namespace: 'me',
    onChange: () => undefined,
  })
  exchange.retry(['left'])
  expect(exchange.open()).toEqual(['left'])
})
