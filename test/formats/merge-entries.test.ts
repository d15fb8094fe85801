import { describe, expect, it, vi } from 'vitest'
import type { Entry } from '../../src/contract/entry.ts'
import type { MergeResult } from '../../src/contract/store/log-exchange.ts'
import type { Durability } from '../../src/contract/store/write-options.ts'
import { mergeEntries } from '../../src/formats/merge-entries.ts'
import { oneAtATime } from '../../src/formats/one-at-a-time.ts'
import { createBreather, inBreaths } from '../../src/pacing/breather.ts'

const entriesOf = (types: readonly string[]): Entry[] =>
  types.map((type, s) => ({ s, type, data: {} }) as unknown as Entry)

/** What is merged together, by sequence number. */
async function chunksOf(
  entries: readonly Entry[],
  bytesOf = (_: Entry) => 1,
  signal?: AbortSignal,
  onChunk = () => {},
): Promise<{ readonly chunk: readonly number[]; readonly durability: Durability | undefined }[]> {
  const chunks: { chunk: number[]; durability: Durability | undefined }[] = []
  const merge = async (
    _: string,
    chunk: readonly Entry[],
    options?: { readonly durability?: Durability },
  ): Promise<MergeResult> => {
    chunks.push({ chunk: chunk.map(({ s }) => s), durability: options?.durability })
    return { added: chunk.length, known: 0, refused: [] }
  }
  await mergeEntries({ merge }, 'key', entries, { signal, bytesOf, onChunk })
  return chunks
}

describe('entries that are merged', () => {
  it('go in chunks of 500, the last one strict', async () => {
    const chunks = await chunksOf(entriesOf(Array.from({ length: 1100 }, () => 'message')))
    expect(chunks.map(({ chunk, durability }) => [chunk[0], chunk.length, durability])).toEqual([
      [0, 500, 'relaxed'],
      [500, 500, 'relaxed'],
      [1000, 100, 'strict'],
    ])
    expect(await chunksOf([])).toEqual([])
  })

  it('go in smaller chunks when they are large, and one by one when they are huge', async () => {
    const entries = entriesOf(Array.from({ length: 6 }, () => 'message'))
    expect((await chunksOf(entries, () => 100 * 1024)).map(({ chunk }) => chunk)).toEqual([
      [0, 1, 2],
      [3, 4, 5],
    ])
    expect((await chunksOf(entries, () => 9 * 1024 * 1024)).map(({ chunk }) => chunk)).toEqual([
      [0],
      [1],
      [2],
      [3],
      [4],
      [5],
    ])
  })

  it('go with the entry that opens their branch', async () => {
    const types = Array.from({ length: 510 }, (_, i) => (i === 499 || i === 509 ? 'branch' : 'message'))
    expect((await chunksOf(entriesOf(types))).map(({ chunk }) => chunk.length)).toEqual([499, 11])
  })

  it('stop between two chunks', async () => {
    const ending = new AbortController()
    const entries = entriesOf(Array.from({ length: 1100 }, () => 'message'))
    let count = 0
    const merging = chunksOf(
      entries,
      () => 1,
      ending.signal,
      () => {
        count += 1
        ending.abort()
      },
    )
    await expect(merging).rejects.toMatchObject({ name: 'Aborted' })
    expect(count).toBe(1)
  })
})

describe('work in steps', () => {
  it('lets other tasks run when it has gone on for long', async () => {
    let others = 0
    const timer = setInterval(() => others++, 1)
    const steps = function* (): Generator<void, string, undefined> {
      for (const until = performance.now() + 3000; others === 0 && performance.now() < until; ) yield
      return 'done'
    }
    expect(await inBreaths(steps(), createBreather())).toBe('done')
    clearInterval(timer)
    expect(others).toBeGreaterThan(0)
  })
})

describe('work that is done one at a time', () => {
  it('needs no locks', async () => {
    expect(await oneAtATime('x', undefined, async () => 1)).toBe(1)
  })

  it('is done all the same when locks are refused', async () => {
    vi.stubGlobal('navigator', {
      locks: { request: async () => Promise.reject(new DOMException('opaque origin', 'SecurityError')) },
    })
    expect(await oneAtATime('x', undefined, async () => 1)).toBe(1)
    vi.unstubAllGlobals()
  })

  it('is not done twice when it fails', async () => {
    vi.stubGlobal('navigator', {
      locks: { request: async (_: string, __: object, work: () => Promise<unknown>) => work() },
    })
    let count = 0
    await expect(
      oneAtATime('x', undefined, async () => {
        count += 1
        throw new Error('failed')
      }),
    ).rejects.toThrow('failed')
    expect(count).toBe(1)
    vi.unstubAllGlobals()
  })

  it('is not done when it is cancelled while it waits', async () => {
    vi.stubGlobal('navigator', {
      locks: {
        request: (_: string, { signal }: { signal: AbortSignal }) =>
          new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason))),
      },
    })
    const ending = new AbortController()
    const waiting = oneAtATime('x', ending.signal, async () => 1)
    ending.abort()
    await expect(waiting).rejects.toMatchObject({ name: 'Aborted' })
    vi.unstubAllGlobals()
  })
})
