import { afterEach, describe, expect, it, vi } from 'vitest'
import type { SessionClient } from '../../src/client/client-contract.ts'
import type { StoreMode } from '../../src/client/open-options.ts'
import { openSessionStore } from '../../src/client/opening/open-session-store.ts'
import type { JobProgress } from '../../src/contract/job.ts'
import { bytesOf, header, idAt, linear, sourceId, sourceKey, user } from '../formats/support/pi-file.ts'
import { watchJobWorkers } from '../support/watch-job-workers.ts'

vi.setConfig({ testTimeout: 60_000 })

const clients: SessionClient[] = []
async function open(mode: StoreMode = 'worker', name = `import-${crypto.randomUUID()}`): Promise<SessionClient> {
  // A mirror is looked through by a job worker too.
  const client = await openSessionStore({ name, modes: [mode], mirror: false })
  clients.push(client)
  return client
}
afterEach(async () => {
  vi.unstubAllGlobals()
  for (const client of clients.splice(0)) await client.close()
})

const fileOf = (count: number): Blob => new Blob([bytesOf([header(), ...linear(count)])])

const RealWorker = Worker

describe('an import', () => {
  it.each(['worker', 'inline-worker', 'in-page', 'web-storage', 'memory'] as const)(
    'works where the store is %s',
    async (mode) => {
      localStorage.clear()
      const client = await open(mode)
      const made = watchJobWorkers()
      const seen: JobProgress[] = []
      const job = client.files.import(fileOf(700), { format: 'pi' })
      for await (const progress of job) seen.push(progress)
      expect(await job.result).toEqual({
        keys: [sourceKey],
        sessions: [{ key: sourceKey, dialect: 'pi' }],
        added: 700,
        known: 0,
        skipped: [],
        skippedCount: 0,
        leftDeleted: [],
      })
      expect(seen.at(-1)).toEqual({
        readBytes: fileOf(700).size,
        totalBytes: fileOf(700).size,
        entries: 700,
        skipped: 0,
      })
      expect(made).toHaveLength(mode.endsWith('worker') ? 1 : 0)
      expect((await client.store.getHistory(sourceId)).length).toBe(700)
      expect(await client.files.import(fileOf(700), { format: 'pi' }).result).toMatchObject({ added: 0, known: 700 })
    },
  )

  it('is seen by the live queries of its own page and of other tabs', async () => {
    const name = `import-${crypto.randomUUID()}`
    const [here, there] = [await open('worker', name), await open('worker', name)]
    const lists = [here.sessions(), there.sessions()]
    for (const list of lists) await list.ready()
    await here.files.import(fileOf(10), { format: 'pi' }).result
    for (const list of lists)
      await expect.poll(() => list.getSnapshot()?.sessions).toMatchObject([{ key: sourceKey, messageCount: 10 }])
    await there.store.addMessage(sourceKey, 'user', 'goes on')
    expect((await here.store.getHistory(sourceKey)).at(-1)?.content).toBe('goes on')
  })

  it('ends its worker', async () => {
    const client = await open()
    const made = watchJobWorkers()
    const ended = vi.spyOn(RealWorker.prototype, 'terminate')
    await client.files.import(fileOf(3), { format: 'pi' }).result
    expect(ended.mock.contexts).toEqual(made)
    ended.mockRestore()
  })

  it('goes another way when its worker can not be loaded', async () => {
    const client = await open()
    const made = watchJobWorkers(
      (url, options) => new RealWorker(String(url).startsWith('blob:') ? url : '/no-such-file.js', options),
    )
    expect(await client.files.import(fileOf(3), { format: 'pi' }).result).toMatchObject({ added: 3 })
    expect(made).toHaveLength(2)
  })

  it('goes on in the page when workers are forbidden', async () => {
    const client = await open()
    watchJobWorkers(() => {
      throw new DOMException('forbidden', 'SecurityError')
    })
    expect(await client.files.import(fileOf(1500), { format: 'pi' }).result).toMatchObject({ added: 1500 })
  })

  it.each(['worker', 'in-page'] as const)('of something else is refused (%s)', async (mode) => {
    const client = await open(mode)
    await expect(client.files.import(new Blob(['Dear diary']), { format: 'pi' }).result).rejects.toMatchObject({
      name: 'InvalidInput',
    })
    expect((await client.listSessions()).total).toBe(0)
  })

  it('takes a Blob and nothing else', async () => {
    const client = await open('memory')
    await expect(client.files.import('text' as unknown as Blob, { format: 'pi' }).result).rejects.toThrow(TypeError)
  })
})

describe('an import that is cancelled', () => {
  it.each(['worker', 'in-page'] as const)('leaves nothing, and can be done again (%s)', async (mode) => {
    const client = await open(mode)
    const ending = new AbortController()
    const job = client.files.import(fileOf(2000), { format: 'pi', signal: ending.signal })
    await expect(
      (async () => {
        for await (const { entries } of job) if (entries > 100) ending.abort()
      })(),
    ).rejects.toMatchObject({ name: 'Aborted' })
    await expect(job.result).rejects.toMatchObject({ name: 'Aborted' })
    expect((await client.listSessions()).total).toBe(0)
    expect(await client.files.import(fileOf(2000), { format: 'pi' }).result).toMatchObject({ added: 2000 })
  })

  it('before it begins settles at once', async () => {
    const client = await open()
    const made = watchJobWorkers()
    await expect(
      client.files.import(fileOf(4), { format: 'pi', signal: AbortSignal.abort() }).result,
    ).rejects.toMatchObject({ name: 'Aborted' })
    expect(made).toHaveLength(0)
  })
})

describe('two imports of one file at once', () => {
  it.each(['worker', 'in-page'] as const)('write it once (%s)', async (mode) => {
    const name = `import-${crypto.randomUUID()}`
    const both = [await open(mode, name), await open(mode, name)]
    const reports = await Promise.all(both.map((client) => client.files.import(fileOf(1200), { format: 'pi' }).result))
    expect(reports.map(({ added }) => added).sort()).toEqual([0, 1200])
    expect((await both[0]!.store.getHistory(sourceKey)).length).toBe(1200)
  })

  it("are none of each other's business when one is cancelled", async () => {
    const name = `import-${crypto.randomUUID()}`
    const [here, there] = [await open('worker', name), await open('worker', name)]
    const ending = new AbortController()
    const cancelled = here.files.import(fileOf(2000), { format: 'pi', signal: ending.signal })
    const whole = there.files.import(fileOf(2000), { format: 'pi' })
    const settled = Promise.allSettled([cancelled.result, whole.result])
    for await (const { entries } of cancelled) {
      if (entries < 2000) continue
      ending.abort()
      break
    }
    expect((await settled)[1]).toMatchObject({ status: 'fulfilled' })
    expect((await there.store.getHistory(sourceKey)).length).toBe(2000)
  })
})

describe('an import whose worker dies', () => {
  it('says so, and another one adds what is missing', async () => {
    const client = await open()
    const made = watchJobWorkers()
    const job = client.files.import(fileOf(2500), { format: 'pi' })
    const lost = expect(job.result).rejects.toMatchObject({ name: 'WorkerLost' })
    for await (const { entries } of job) {
      if (entries < 100) continue
      made[0]?.terminate()
      break
    }
    await lost
    const { known, added } = await client.files.import(
      new Blob([bytesOf([header(), ...linear(2500), user(2501, 2500)])]),
      { format: 'pi' },
    ).result
    expect(known + added).toBe(2501)
    expect((await client.store.read(sourceKey, { last: 1 })).entries[0]?.mid).toBe(idAt(2501))
    expect((await client.store.getHistory(sourceKey)).length).toBe(2501)
  })
})

describe('an import in the page', () => {
  it('leaves it free in between', async () => {
    const text = 'x'.repeat(1000)
    const file = new Blob([
      bytesOf([header(), ...Array.from({ length: 5000 }, (_, i) => user(i + 1, i === 0 ? null : i, `${i} ${text}`))]),
    ])
    const client = await open('in-page')
    let longest = 0
    let isRunning = true
    const { port1, port2 } = new MessageChannel()
    let since = performance.now()
    port1.onmessage = () => {
      longest = Math.max(longest, performance.now() - since)
      since = performance.now()
      if (isRunning) port2.postMessage(0)
    }
    port2.postMessage(0)
    const started = performance.now()
    await client.files.import(file, { format: 'pi' }).result
    isRunning = false
    port1.close()
    // A share of the whole, because a busy machine makes both longer.
    expect(longest).toBeLessThan(Math.max(60, (performance.now() - started) / 5))
  })
})
