import { it } from 'vitest'
import type { SessionStore } from '../contract/store/session-store.ts'
import type { Check, DeviationChecks, Laws, Need } from './law.ts'
import type { Deviation, OpenedStore, StoreUnderTest } from './store-under-test.ts'

/** A test may take seconds on a busy machine, over a port. */
const timeout = 20_000

/** Declares a test for each law: it gets a store of its own, which is closed and cleaned up after it. */
export function declareLaws(sut: StoreUnderTest, laws: Laws): void {
  const deviations = sut.deviations ?? {}
  for (const [title, law] of Object.entries(laws)) {
    const { needs, check } = typeof law === 'function' ? { needs: [], check: law } : law
    it(title, { timeout }, async (context) => {
      const reason = needs.map((need) => deviations[need as Deviation]).find((found) => found !== undefined)
      if (reason !== undefined) context.skip(reason)
      await inLab(sut, check, (opened) => {
        const missing = missingFrom(sut, opened, needs)
        if (missing !== undefined) context.skip(missing)
      })
    })
  }
}

/** Declares the tests of the deviations that the store has. */
export function declareDeviations(sut: StoreUnderTest, checks: DeviationChecks): void {
  for (const [deviation, reason] of Object.entries(sut.deviations ?? {}))
    for (const [sentence, check] of Object.entries(checks[deviation as Deviation]))
      it(`${sentence} (${reason})`, { timeout }, () => inLab(sut, check))
}

function missingFrom(sut: StoreUnderTest, opened: OpenedStore, needs: readonly Need[]): string | undefined {
  if (needs.includes('reopen') && opened.reopen === undefined) {
    if (sut.durable === true) throw new Error(`${sut.name} is said to be durable, but its place can't be opened again.`)
    return sut.durable
  }
  const handling = needs.find((need) => (need === 'openAnother' || need === 'damage') && opened[need] === undefined)
  return handling === undefined ? undefined : `its place offers no ${handling}`
}

async function inLab(sut: StoreUnderTest, check: Check, inspect?: (opened: OpenedStore) => void): Promise<void> {
  const stores: SessionStore[] = []
  const places: OpenedStore[] = []
  const keep = (store: SessionStore): SessionStore => {
    stores.push(store)
    return store
  }
  const openPlace = async (): Promise<OpenedStore> => {
    const opened = await sut.open()
    keep(opened.store)
    places.push(opened)
    return opened
  }
  try {
    const opened = await openPlace()
    inspect?.(opened)
    const { store, reopen = notGiven, openAnother = notGiven, damage = notGiven } = opened
    await check({
      store,
      damage,
      reopen: async () => keep(await reopen()),
      openAnother: async () => keep(await openAnother()),
      openElsewhere: async () => (await openPlace()).store,
    })
  } finally {
    for (const store of stores) await store.close()
    for (const place of places) await place.dispose?.()
  }
}

function notGiven(): never {
  throw new Error('The check uses what it did not list among its needs. Add it to the needs of the law.')
}
