import { IDBFactory, IDBKeyRange } from 'fake-indexeddb'
import { expect, it } from 'vitest'
import { methodNames } from '../../../src/client/opening/options-index.ts'
import { isSessionError } from '../../../src/contract/errors.ts'
import type { SessionStore } from '../../../src/contract/store/session-store.ts'
import { createSessionStore } from '../../../src/storage/create-session-store.ts'
import { openIndexedDbBackend } from '../../../src/storage/indexeddb/indexeddb-backend.ts'
import { type Fault, failRequest } from '../../support/indexeddb-faults.ts'
import { scale, tell } from '../figures.ts'
import { contentsOf } from './contents-of.ts'
import { type Memo, type Step, steps } from './steps.ts'

interface Run {
  readonly factory: IDBFactory
  readonly store: SessionStore
  readonly memo: Memo
  /** Says when it is for the store. */
  readonly clock: { at: number }
}

async function begin(factory = new IDBFactory()): Promise<Run> {
  const clock = { at: 1_000 }
  const backend = await openIndexedDbBackend({ name: 'sweep', indexedDB: factory, IDBKeyRange })
  const store = createSessionStore(backend, { now: () => clock.at })
  return { factory, store, memo: { refs: [], branch: '', checkpoint: '', draft: '', blob: '' }, clock }
}

const take = ({ store, memo, clock }: Run, step: Step, i: number): Promise<unknown> => {
  clock.at = 1_000 * (i + 2)
  return step.run(store, memo, `step ${i}`)
}

/** What the store shows after each step, when nothing goes wrong; before the first it shows nothing. */
async function runUndisturbed(): Promise<readonly string[]> {
  const run = await begin()
  const states = [JSON.stringify(await contentsOf(run.store))]
  for (const [i, step] of steps.entries()) {
    await take(run, step, i)
    states.push(JSON.stringify(await contentsOf(run.store)))
  }
  await run.store.close()
  return states
}

const kinds: readonly (Fault & { readonly mode?: IDBTransactionMode })[] = [
  { how: 'throw', name: 'UnknownError' },
  // One read that fails by itself is a record that is lost, which is passed over: writes only.
  { how: 'fail', name: 'QuotaExceededError', mode: 'readwrite' },
  { how: 'abort', name: 'AbortError' },
]
/** Of the fault points, one in so many. */
const stride = scale === undefined ? 17 : Math.max(1, Math.round(1 / scale))

it('calls every method of a store', () => {
  const called = new Set(steps.map(({ method }) => method))
  expect(methodNames.filter((name) => !called.has(name))).toEqual(['close'])
})

it.each(kinds)(
  'leaves each call whole or undone, and repeatable, wherever storage fails: $how $name',
  async (fault) => {
    const states = await runUndisturbed()
    let points = 0
    for (let n = 1, isReached = true; isReached; n += stride) {
      const run = await begin()
      const planted = failRequest(n, fault, fault.mode)
      let failed: number | undefined
      for (const [i, step] of steps.entries()) {
        const error = await take(run, step, i).then(
          () => undefined,
          (reason: unknown) => reason as Error,
        )
        if (error === undefined) continue
        const place = `request ${n}, in step ${i} (${step.method}): ${error.message}`
        expect(failed, `a second failure at ${place}`).toBeUndefined()
        failed = i
        expect(
          isSessionError(error, fault.name === 'QuotaExceededError' ? 'QuotaExceeded' : 'StorageUnavailable'),
          `${error.name} at ${place}`,
        ).toBe(true)
        expect([states[i], states[i + 1]], place).toContain(JSON.stringify(await contentsOf(run.store)))
        await take(run, step, i)
        expect(await contentsOf(run.store), `after another try, ${place}`).toEqual(JSON.parse(states[i + 1]!))
      }
      isReached = planted.restore()
      if (isReached) points++
      await run.store.close()
      const again = await begin(run.factory)
      const place = `at request ${n}, in step ${failed} (${steps[failed ?? 0]!.method})`
      expect(await contentsOf(again.store), place).toEqual(JSON.parse(states.at(-1)!))
      expect((await again.store.verify()).problems, place).toEqual([])
      await again.store.close()
    }
    tell({ points })
    expect(points).toBeGreaterThan(150 / stride)
  },
  1_800_000,
)
