import { openDirectStore } from '../../../src/direct.ts'
import { openSessionStore } from '../../../src/index.ts'
import { count } from '../../count.ts'
import type { Effort } from '../../sample.ts'
import type { Cell, OpenCase } from '../cells.ts'
import { chunks } from '../contenders.ts'
import { medianOf } from '../timed.ts'

const name = 'bench-alias'

const keyOf = (i: number): string => `sk_v1_${String(i).padStart(64, '0')}`
const aliasOf = (i: number): string => `agent:main:web:default:direct:u${i}`

/** What it takes to find a session by an alias, against finding it by its key. */
export async function openAlias({ isQuick }: Effort): Promise<OpenCase> {
  const size = isQuick ? 500 : 10_000
  const inPage = await openDirectStore({ name, modes: ['in-page'], timeoutMs: 20_000 })
  for (const [from, to] of chunks((await inPage.listSessions({ limit: 1 })).total, size, 500)) {
    await Promise.all(
      Array.from({ length: to - from }, (_, i) =>
        inPage.store.updateMeta(keyOf(from + i), { aliases: [aliasOf(from + i)] }, { durability: 'relaxed' }),
      ),
    )
  }
  await inPage.close()
  const client = await openSessionStore({ name, modes: ['worker'], timeoutMs: 20_000 })
  const names = { 'by key': keyOf, 'by alias': aliasOf }
  let next = 0
  const cells: Cell[] = []
  for (const [contender, nameOf] of Object.entries(names)) {
    const find = async (i: number): Promise<void> => {
      const key = await client.store.resolveSessionKey(nameOf(i))
      if (key !== keyOf(i)) throw new Error(`Expected ${keyOf(i)}, got ${key}.`)
    }
    // Steps so wide that no name comes again before the worker has let go of it.
    cells.push({
      group: `${count(size)} sessions, never asked for`,
      contender,
      run: async () => ({ time: await medianOf(100, () => find((next = (next + 7919) % size))) }),
    })
    cells.push({
      group: `${count(size)} sessions, asked for before`,
      contender,
      run: async () => ({ time: await medianOf(100, () => find(0)) }),
    })
  }
  return {
    title: 'Finding a session by its key and by an alias',
    notes: ['Median of 100 calls of `resolveSessionKey` through the worker.'],
    cells,
    close: () => client.close(),
  }
}
