import { expect, it } from 'vitest'
import { createJob } from '../../src/client/files/create-job.ts'
import type { JobProgress } from '../../src/contract/job.ts'

const at = (readBytes: number): JobProgress => ({ readBytes, totalBytes: 100, entries: 0, skipped: 0 })
const tick = (): Promise<void> => new Promise((resolve) => setTimeout(resolve))

async function bytesSeen(job: AsyncIterable<JobProgress>): Promise<number[]> {
  const seen: number[] = []
  for await (const { readBytes } of job) seen.push(readBytes)
  return seen
}

it('gives every progress to who keeps up, and ends with the work', async () => {
  const job = createJob(async (onProgress) => {
    for (const n of [1, 2, 3]) {
      onProgress(at(n))
      await tick()
    }
    return 'done'
  })
  expect(await bytesSeen(job)).toEqual([1, 2, 3])
  expect(await job.result).toBe('done')
})

it('gives the newest progress only to who is slow', async () => {
  const job = createJob(async (onProgress) => {
    for (const n of [1, 2, 3]) onProgress(at(n))
    await tick()
  })
  expect(await bytesSeen(job)).toEqual([3])
})

it('can be iterated by several, also when it is over', async () => {
  const job = createJob(async (onProgress) => {
    await tick()
    onProgress(at(1))
  })
  expect(await Promise.all([bytesSeen(job), bytesSeen(job)])).toEqual([[1], [1]])
  expect(await bytesSeen(job)).toEqual([1])
})

it('goes on when nobody iterates, and when somebody stops', async () => {
  const job = createJob(async (onProgress) => {
    onProgress(at(1))
    await tick()
    onProgress(at(2))
    return 'done'
  })
  for await (const _ of job) break
  expect(await job.result).toBe('done')
})

it('fails both ways', async () => {
  const job = createJob(async (onProgress) => {
    onProgress(at(1))
    await tick()
    throw new Error('broken')
  })
  const seen: number[] = []
  await expect(
    (async () => {
      for await (const { readBytes } of job) seen.push(readBytes)
    })(),
  ).rejects.toThrow('broken')
  expect(seen).toEqual([1])
  await expect(job.result).rejects.toThrow('broken')
})
