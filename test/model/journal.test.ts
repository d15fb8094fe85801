import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { SessionStore } from '../../src/contract/store/session-store.ts'
import { createJournalDevice, type JournalDevice, type JournalTab } from '../mirror/support/journal-device.ts'
import { holdsAsync, patience, report } from './support/laws.ts'

/** What happens in one of the tabs. */
type Step =
  | { readonly do: 'append'; readonly tab: number; readonly key: string; readonly count: number }
  | { readonly do: 'together'; readonly key: string }
  | { readonly do: 'edit' | 'rename' | 'delete'; readonly tab: number; readonly key: string }
  | { readonly do: 'fold' | 'read' | 'die'; readonly tab: number; readonly key: string }

const keys = ['a', 'b']
const tabCount = 2
/** Long enough that a journal is folded only when a step asks for it. */
const never = (): number => 1_000_000

const tab = fc.nat({ max: tabCount - 1 })
const key = fc.constantFrom(...keys)
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({ do: fc.constant('append' as const), tab, key, count: fc.integer({ min: 1, max: 3 }) }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('together' as const), key }) },
  {
    weight: 1,
    arbitrary: fc.record({ do: fc.constantFrom('edit' as const, 'rename' as const, 'delete' as const), tab, key }),
  },
  {
    weight: 3,
    arbitrary: fc.record({ do: fc.constantFrom('fold' as const, 'read' as const, 'die' as const), tab, key }),
  },
)

/** An entry as its caller was told of it. */
interface Told {
  readonly tab: number
  readonly key: string
  readonly text: string
  readonly branch: string
  readonly order: string
}

async function append(store: SessionStore, tab: number, key: string, texts: readonly string[]): Promise<Told[]> {
  const { entries } = await store.append(
    key,
    texts.map((content) => ({ type: 'message', message: { role: 'user', content } })),
  )
  return entries.map(({ branch, order }, i) => ({ tab, key, text: texts[i]!, branch, order }))
}

/** Runs the steps. @returns what the callers were told, in the order of the answers */
async function play(device: JournalDevice, steps: readonly Step[]): Promise<{ told: Told[]; tabs: JournalTab[] }> {
  const tabs: JournalTab[] = []
  for (let i = 0; i < tabCount; i++) tabs.push(await device.open())
  const told: Told[] = []
  let count = 0
  const draw = (): string => `m${count++}`
  for (const { store } of tabs) {
    // The database answers a tab's first writes, which name its journal.
    for (const one of keys)
      for (let i = 0; i < 2; i++)
        told.push(
          ...(await append(
            store,
            tabs.findIndex((t) => t.store === store),
            one,
            [draw()],
          )),
        )
    await store.flush()
    await device.settled()
  }
  for (const one of steps) {
    switch (one.do) {
      case 'append':
        told.push(...(await append(tabs[one.tab]!.store, one.tab, one.key, Array.from({ length: one.count }, draw))))
        break
      case 'together':
        told.push(...(await Promise.all(tabs.map(({ store }, i) => append(store, i, one.key, [draw()])))).flat())
        break
      case 'edit': {
        const own = told.findLast((entry) => entry.tab === one.tab && entry.key === one.key)
        if (own !== undefined)
          await tabs[one.tab]!.store.edit(one.key, own, { role: 'user', content: `${own.text}, edited` }).catch(
            () => undefined,
          )
        break
      }
      case 'rename':
        // A deleted session refuses it.
        await tabs[one.tab]!.store.updateMeta(one.key, { title: draw() }).catch(() => undefined)
        break
      case 'delete':
        await tabs[one.tab]!.store.delete(one.key)
        break
      case 'fold':
        await tabs[one.tab]!.store.flush()
        await Promise.resolve()
        break
      case 'read':
        await tabs[one.tab]!.store.getHistory(one.key)
        break
      case 'die':
        tabs[one.tab]!.die()
        tabs[one.tab] = await device.open()
        break
      default:
        one satisfies never
    }
  }
  return { told, tabs }
}

describe('journals of several tabs', { timeout: patience }, () => {
  it('keep every answered entry once and where it was told to be, whatever tabs do and die', async () => {
    const counts = { runs: 0, entries: 0 }
    await holdsAsync(
      { quick: 60, full: 20_000 },
      fc.asyncProperty(fc.array(step, { minLength: 3, maxLength: 14 }), async (steps) => {
        const device = createJournalDevice(`journals ${counts.runs++}`, never)
        const { told, tabs } = await play(device, steps)
        for (const { store } of tabs) await store.flush()
        await device.settled()
        const bare = await device.bare()
        for (const one of keys) {
          const mine = told.filter((entry) => entry.key === one)
          const stored = (await bare.changes(one, {})).entries.filter(({ type }) => type === 'message')
          expect(stored.map(({ order }) => order).sort()).toEqual(mine.map(({ order }) => order).sort())
          counts.entries += mine.length
          const history = await bare.getHistory(one)
          for (const { store } of tabs) expect(await store.getHistory(one)).toEqual(history)
        }
        expect((await bare.verify()).problems).toEqual([])
        await bare.close()
        for (const { store } of tabs) await store.close()
      }),
    )
    report('journals', counts)
  })
})
