import { type ClientSearch, createSearch } from '../../../src/client/create-search.ts'
import { makeSearchWorker } from '../../../src/client/worker/make-search-worker.ts'
import { openDirectStore } from '../../../src/direct.ts'
import { openSessionStore } from '../../../src/index.ts'
import { ours } from '../../contender-names.ts'
import { count } from '../../count.ts'
import type { Effort } from '../../sample.ts'
import type { Cell, OpenCase } from '../cells.ts'
import { chunks } from '../contenders.ts'
import { latinWord, talkAt } from '../talk.ts'
import { medianOf } from '../timed.ts'
import { agents, kinds, writtenAt } from './search-kinds.ts'

const name = 'bench-search'
const sessionSize = 100

/** Full-text search over many sessions. */
export async function openSearch({ isQuick }: Effort): Promise<OpenCase> {
  const size = isQuick ? 2000 : 50_000
  const inPage = await openDirectStore({ name, modes: ['in-page'], timeoutMs: 20_000 })
  for (const [from, to] of chunks((await inPage.listSessions({ limit: 1 })).total * sessionSize, size, sessionSize)) {
    const key = `talk-${from / sessionSize}`
    await inPage.store.append(
      key,
      Array.from({ length: to - from }, (_, i) => ({
        type: 'message',
        message: talkAt(from + i),
        at: writtenAt(from + i),
      })),
      { durability: 'relaxed' },
    )
    await inPage.store.updateMeta(key, { agentId: `agent-${(from / sessionSize) % agents}` })
  }
  await inPage.close()
  const client = await openSessionStore({ name, modes: ['worker'], timeoutMs: 20_000 })
  const open = (): ClientSearch =>
    createSearch({ name, mode: 'worker', store: client.store, feed: client }, makeSearchWorker)
  let search = open()
  const begun = performance.now()
  await search.search('a')
  const indexing = performance.now() - begun
  await search.close()
  const { bytes, segments } = await indexSize()
  search = open()
  await search.search('a')

  const texts = Array.from({ length: size }, (_, i) => String(talkAt(i).content))
  const cells: Cell[] = []
  for (const [kind, askedOf] of Object.entries(kinds)) {
    const group = `${count(size)} messages, ${kind}`
    const run = async (i: number): Promise<unknown> => search.search(askedOf(i).query, askedOf(i).options)
    cells.push({ group, contender: ours, run: async () => ({ time: await medianOf(20, run) }) })
    if (askedOf(0).options !== undefined) continue
    const wordsOf = (i: number): readonly string[] => askedOf(i).query.replaceAll('"', '').split(' ')
    cells.push({
      group,
      contender: 'includes() over texts in memory',
      run: async () => ({
        time: await medianOf(5, async (i) => texts.filter((text) => wordsOf(i).every((word) => text.includes(word)))),
      }),
    })
  }
  cells.push({
    group: `${count(size)} messages, misspelt`,
    contender: ours,
    run: async () => ({
      time: await medianOf(20, (i) => search.search(`${latinWord(500 + i * 31)}x`, { typos: true })),
    }),
  })
  cells.push({
    group: `${count(size)} messages, the index loaded first`,
    contender: ours,
    run: async (rep) => {
      await search.close()
      search = open()
      const start = performance.now()
      await search.search(latinWord(300 + rep))
      return { time: performance.now() - start }
    },
  })
  cells.push({
    group: `${count(size)} messages, from append to found`,
    contender: ours,
    run: async (rep) => ({
      time: await medianOf(10, async (i) => {
        const word = `new${rep + 1}x${i}x${Math.floor(performance.now())}`
        await client.store.append(`talk-${i}`, [
          { type: 'message', message: { role: 'user', content: `It is ${word} now` } },
        ])
        const hits = await search.search(word)
        if (hits.length !== 1) throw new Error(`Expected the message with ${word}, got ${hits.length}.`)
      }),
    }),
  })
  return {
    title: 'Full-text search',
    notes: [
      `From the page through the search worker, 20 hits with snippets; each time is the median of 20 different queries.`,
      `To index all of it the first time took ${(indexing / 1000).toFixed(1)} s; the index has ${(bytes / 1e6).toFixed(1)} MB in ${segments} segments for ${(texts.reduce((sum, { length }) => sum + length, 0) / 1e6).toFixed(1)} million characters.`,
    ],
    cells,
    close: async () => {
      await search.close()
      await client.close()
    },
  }
}

/** What the stored index takes, as it lies in memory. */
async function indexSize(): Promise<{ readonly bytes: number; readonly segments: number }> {
  const opened = <T>(request: IDBRequest<T>): Promise<T> =>
    new Promise((resolve, reject) => {
      request.onsuccess = () => resolve(request.result)
      request.onerror = () => reject(request.error!)
    })
  const database = await opened(indexedDB.open(`keepsession-search:${name}`))
  const rows = await opened<
    { segment: { documents: Record<string, ArrayLike<unknown>>; terms: Record<string, ArrayLike<unknown>> } }[]
  >(database.transaction('segments').objectStore('segments').getAll())
  database.close()
  const sizeOf = (value: ArrayLike<unknown>): number => {
    if (ArrayBuffer.isView(value)) return value.byteLength
    if (typeof value === 'string') return (value as string).length * 2
    return Array.from(value).reduce((sum: number, text) => sum + 16 + String(text).length, 0)
  }
  const bytes = rows.reduce(
    (sum, { segment }) =>
      sum +
      [...Object.values(segment.documents), ...Object.values(segment.terms)].reduce(
        (part, value) => part + sizeOf(value),
        0,
      ),
    0,
  )
  return { bytes, segments: rows.length }
}
