import { expect, it } from 'vitest'
import { followQuery } from '../../src/bindings/views/follow-query.ts'
import { createLiveQuery, type LiveSource } from '../../src/client/session/live-query.ts'

const settled = (): Promise<void> => new Promise((resolve) => setTimeout(resolve))

it('hands on each value, why it could not be read again, and why there will be no more', async () => {
  let source: LiveSource<{ readonly count: number }> | undefined
  const query = createLiveQuery<{ readonly count: number }>(new AbortController().signal, (given) => {
    source = given
    return () => undefined
  })
  const seen: unknown[] = []
  followQuery(
    query,
    ({ count }) => seen.push(count),
    (error) => seen.push((error as Error).message),
  )
  const happens = async (what: () => void): Promise<unknown[]> => {
    what()
    await settled()
    return seen.splice(0)
  }
  expect(await happens(() => source!.fail(new Error('Not yet.')))).toEqual(['Not yet.'])
  expect(await happens(() => source!.publish({ count: 1 }))).toEqual([1])
  expect(await happens(() => source!.fail(new Error('Not now.')))).toEqual(['Not now.'])
  expect(await happens(() => source!.publish({ count: 2 }))).toEqual([2])
  // The value that it had before may be read again.
  const same = query.getSnapshot()!
  expect(await happens(() => source!.fail(new Error('Not now.')))).toEqual(['Not now.'])
  expect(await happens(() => source!.publish(same))).toEqual([2])
  expect(await happens(() => source!.publish(same))).toEqual([])
  // What failed last is told last.
  const both = await happens(() => {
    source!.publish({ count: 3 })
    source!.fail(new Error('Not again.'))
  })
  expect(both.slice(-2)).toEqual([3, 'Not again.'])
  const growing = await happens(() => source!.publish({ count: 4 }, query.getError()))
  expect(growing.slice(-2)).toEqual([4, 'Not again.'])
  expect((await happens(() => query.close())).at(-1)).toContain('closed')
})
