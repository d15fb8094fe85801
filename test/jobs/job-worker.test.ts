import { describe, expect, it } from 'vitest'
import { type JobWorker, startJobWorker } from '../../src/client/worker/job-worker.ts'
import { SessionError } from '../../src/contract/errors.ts'
import type { JobProgress, JobTask } from '../../src/contract/job.ts'
import { bytesOf, header, linear, sourceKey } from '../formats/support/pi-file.ts'
import { createPortWorker, type PortWorker } from './support/port-worker.ts'

const logOf = (count: number): Blob => new Blob([bytesOf([header(), ...linear(count)])])
const importOf = (blob: Blob) =>
  ({
    kind: 'importFiles',
    files: [{ path: 'log.jsonl', blob }],
    dryRun: false,
    format: 'pi',
  }) as const satisfies JobTask
const file = (count: number) => importOf(logOf(count))

async function start(worker: PortWorker, signal?: AbortSignal, timeoutMs = 10_000): Promise<JobWorker> {
  return startJobWorker({ worker, name: `jobs-${crypto.randomUUID()}`, timeoutMs, mirror: false, signal })
}

describe('a job worker', () => {
  it('does a job, tells how far it is, and is ended', async () => {
    const worker = createPortWorker()
    const seen: JobProgress[] = []
    const report = await (await start(worker)).run(file(40), undefined, (progress) => seen.push(progress))
    expect(report).toEqual({
      keys: [sourceKey],
      sessions: [{ key: sourceKey, dialect: 'pi' }],
      added: 40,
      known: 0,
      skipped: [],
      skippedCount: 0,
      leftDeleted: [],
    })
    expect(seen.at(-1)).toMatchObject({ entries: 40, readBytes: logOf(40).size, totalBytes: logOf(40).size })
    expect(worker.isTerminated()).toBe(true)
    expect((await worker.store.listSessions()).total).toBe(1)
  })

  it('rejects with the error of the job, by name', async () => {
    const worker = createPortWorker()
    const job = (await start(worker)).run(importOf(new Blob(['{}'])), undefined, () => undefined)
    await expect(job).rejects.toBeInstanceOf(SessionError)
    await expect(job).rejects.toMatchObject({
      name: 'InvalidInput',
      message: expect.stringContaining('not a session log of pi'),
    })
    expect(worker.isTerminated()).toBe(true)
  })

  it('refuses work it does not know', async () => {
    const job = (await start(createPortWorker())).run(
      { kind: 'dance' } as unknown as JobTask,
      undefined,
      () => undefined,
    )
    await expect(job).rejects.toMatchObject({ name: 'InvalidInput', message: expect.stringContaining('"dance"') })
  })

  it('stops when it is asked to, and clears up', async () => {
    const worker = createPortWorker()
    const ending = new AbortController()
    const started = await start(worker)
    const job = started.run(file(3000), ending.signal, ({ entries }) => {
      if (entries > 0) ending.abort()
    })
    await expect(job).rejects.toMatchObject({ name: 'Aborted' })
    expect((await worker.store.listSessions()).total).toBe(0)
  })

  it('begins nothing for a signal that fired before', async () => {
    const worker = createPortWorker()
    const started = await start(worker)
    await expect(started.run(file(40), AbortSignal.abort(), () => undefined)).rejects.toMatchObject({ name: 'Aborted' })
    expect(worker.isTerminated()).toBe(true)
    expect((await worker.store.listSessions()).total).toBe(0)
  })

  it('that breaks off is lost', async () => {
    const worker = createPortWorker()
    const job = (await start(worker)).run(file(3000), undefined, () => worker.fail('out of memory'))
    await expect(job).rejects.toMatchObject({ name: 'WorkerLost', message: expect.stringContaining('out of memory') })
    expect(worker.isTerminated()).toBe(true)
  })
})

describe('a job worker that does not start', () => {
  it.each<[string, () => PortWorker, RegExp, number?]>([
    [
      'because it can not open the database',
      () => createPortWorker(async () => Promise.reject(new SessionError('StorageUnavailable', 'no IndexedDB'))),
      /no IndexedDB/,
    ],
    [
      'because it never answers',
      () => ({ ...createPortWorker(), postMessage: () => undefined }),
      /did not answer within 50 ms/,
      50,
    ],
    [
      'because its script is missing',
      () => {
        const worker = createPortWorker()
        return { ...worker, postMessage: () => worker.fail('') }
      },
      /missing, blocked or broken/,
    ],
  ])('%s is ended, and says why', async (_, make, reason, timeoutMs = 10_000) => {
    const worker = make()
    await expect(start(worker, undefined, timeoutMs)).rejects.toMatchObject({
      name: 'StorageUnavailable',
      message: expect.stringMatching(reason),
    })
    expect(worker.isTerminated()).toBe(true)
  })

  it('is not waited for when the job is cancelled', async () => {
    const ending = new AbortController()
    const starting = start({ ...createPortWorker(), postMessage: () => undefined }, ending.signal, 10_000)
    ending.abort()
    await expect(starting).rejects.toMatchObject({ message: expect.stringContaining('cancelled') })
  })
})
