import { expect, it } from 'vitest'
import { createWriteQueue } from '../../src/adapters/write-queue.ts'
import { SessionError } from '../../src/contract/errors.ts'

/** Writes that fail as they are told to, and what was written. */
function createLog() {
  const written: string[] = []
  const failures = new Map<string, unknown>()
  const write = (name: string) => async () => {
    if (failures.has(name)) throw failures.get(name)
    written.push(name)
  }
  return { written, failures, write }
}

it('keeps a write that a retry can mend, and does it before the next one', async () => {
  const { written, failures, write } = createLog()
  const errors: unknown[] = []
  const queue = createWriteQueue((error) => errors.push(error))
  const full = new SessionError('QuotaExceeded', 'full')
  failures.set('a', full)
  await queue.run(write('a'))
  await queue.run(write('b'))
  expect(errors).toEqual([full, full])
  failures.clear()
  await queue.run(write('c'))
  expect(written).toEqual(['a', 'b', 'c'])
})

it.each([
  new SessionError('StorageClosed', 'closed'),
  new SessionError('ParentMoved', 'moved'),
  new TypeError('no function'),
])('tells of %s once, and goes on with the next write', async (failure) => {
  const { written, failures, write } = createLog()
  const errors: unknown[] = []
  const queue = createWriteQueue((error) => errors.push(error))
  failures.set('a', failure)
  await queue.run(write('a'))
  await queue.run(write('b'))
  expect(errors).toEqual([failure])
  expect(written).toEqual(['b'])
})

it('does what waits behind a kept write that fails for good in a retry, and rejects with its error', async () => {
  const { written, failures, write } = createLog()
  const queue = createWriteQueue(() => undefined)
  failures.set('a', new SessionError('QuotaExceeded', 'full'))
  await queue.run(write('a'))
  await queue.run(write('b'))
  const gone = new SessionError('SessionNotFound', 'gone')
  failures.set('a', gone)
  await expect(queue.retry()).rejects.toBe(gone)
  expect(written).toEqual(['b'])
})

it('rejects where nobody is told', async () => {
  const queue = createWriteQueue(undefined)
  const failure = new SessionError('TooLarge', 'large')
  await expect(queue.run(() => Promise.reject(failure))).rejects.toBe(failure)
  expect(() => queue.report(failure)).toThrow(failure)
})

it('rejects only the write that failed when several are done together', async () => {
  const { written, failures, write } = createLog()
  const queue = createWriteQueue(undefined)
  const failure = new SessionError('TooLarge', 'large')
  failures.set('b', failure)
  const done = await Promise.allSettled(['a', 'b', 'c'].map((name) => queue.run(write(name))))
  expect(done.map((one) => (one.status === 'rejected' ? one.reason : 'written'))).toEqual([
    'written',
    failure,
    'written',
  ])
  expect(written).toEqual(['a', 'c'])
})

it('rejects writes behind a kept one with the error that keeps it', async () => {
  const { written, failures, write } = createLog()
  const queue = createWriteQueue(undefined)
  const full = new SessionError('QuotaExceeded', 'full')
  failures.set('b', full)
  const done = await Promise.allSettled(['a', 'b', 'c'].map((name) => queue.run(write(name))))
  expect(done.map((one) => (one.status === 'rejected' ? one.reason : 'written'))).toEqual(['written', full, full])
  failures.clear()
  await queue.retry()
  expect(written).toEqual(['a', 'b', 'c'])
})

it('tells of a kept write that then fails for good, and does not fail the next one with it', async () => {
  const { written, failures, write } = createLog()
  const errors: unknown[] = []
  const queue = createWriteQueue((error) => errors.push(error))
  const [full, gone] = [new SessionError('QuotaExceeded', 'full'), new SessionError('SessionNotFound', 'gone')]
  failures.set('a', full)
  await queue.run(write('a'))
  failures.set('a', gone)
  await queue.run(write('b'))
  expect([errors, written]).toEqual([[full, gone], ['b']])
  const untold = createWriteQueue(undefined)
  failures.set('a', full)
  await expect(untold.run(write('a'))).rejects.toBe(full)
  failures.set('a', gone)
  await untold.run(write('c'))
  expect(written).toEqual(['b', 'c'])
})
