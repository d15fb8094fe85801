import { it } from 'vitest'
import type { SessionStore } from '../contract/store/session-store.ts'
import type { Deviation, OpenedStore, StoreUnderTest } from './store-under-test.ts'

/** What a test rests on: that the store does not deviate there, or that its place can be handled so. */
export type Need = Deviation | 'reopen' | 'openAnother' | 'damage'

/** What a test gets. What it did not ask for among its needs may be missing, and then throws. */
export interface Lab {
  readonly store: SessionStore
  readonly reopen: () => Promise<SessionStore>
  readonly openAnother: () => Promise<SessionStore>
  readonly damage: (key: string) => Promise<void>
  /** A second store, on an empty place of its own. */
  readonly openElsewhere: () => Promise<SessionStore>
}

/** Declares one test: a sentence after the number of its law. */
export type DeclareLaw = (name: `L${number}: ${string}`, run: (lab: Lab) => Promise<void>, ...needs: Need[]) => void

export interface Suite {
  readonly law: DeclareLaw
  /** Declares the test of a deviation; only for stores that declare it. */
  readonly deviation: (deviation: Deviation, sentence: string, run: (lab: Lab) => Promise<void>) => void
}

/** A test may take seconds on a busy machine, over a port. */
const timeout = 20_000

/** Binds the declaration of tests to a store: each test gets a store of its own, closed and cleaned up after it. */
export function createSuite(sut: StoreUnderTest): Suite {
  const deviations = sut.deviations ?? {}
  return {
    law: (name, run, ...needs) => {
      it(name, { timeout }, async (context) => {
        const reason = needs.map((need) => deviations[need as Deviation]).find((found) => found !== undefined)
        if (reason !== undefined) context.skip(reason)
        await inLab(sut, run, (opened) => {
          const missing = missingFrom(sut, opened, needs)
          if (missing !== undefined) context.skip(missing)
        })
      })
    },
    deviation: (deviation, sentence, run) => {
      const reason = deviations[deviation]
      if (reason !== undefined) it(`${sentence} (${reason})`, { timeout }, () => inLab(sut, run))
    },
  }
}

function missingFrom(sut: StoreUnderTest, opened: OpenedStore, needs: readonly Need[]): string | undefined {
  if (needs.includes('reopen') && opened.reopen === undefined) {
    if (sut.durable === true) throw new Error(`${sut.name} is said to be durable, but its place can't be opened again.`)
    return sut.durable
  }
  const handling = needs.find((need) => (need === 'openAnother' || need === 'damage') && opened[need] === undefined)
  return handling === undefined ? undefined : `its place offers no ${handling}`
}

async function inLab(
  sut: StoreUnderTest,
  run: (lab: Lab) => Promise<void>,
  check?: (opened: OpenedStore) => void,
): Promise<void> {
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
    check?.(opened)
    const { store, reopen = notGiven, openAnother = notGiven, damage = notGiven } = opened
    await run({
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
  throw new Error('The test uses what it did not name among its needs.')
}
