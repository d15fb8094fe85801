import type { NumberedKey } from '../../contract/row-salvage.ts'
import type { DetailsRow } from './schema.ts'
import type { ReadSteps } from './transaction.ts'
import { unlessLost } from './unless-lost.ts'

/** {@link RowSalvage.findOtherNumbers} */
export function findOtherNumbers(steps: ReadSteps<readonly NumberedKey[]>, known: ReadonlySet<number>): void {
  const { store, read, attempt, answer } = steps
  read(store('details').getAllKeys(), (numbers) => {
    const others = (numbers as number[]).filter((number) => !known.has(number))
    const found: NumberedKey[] = []
    let waiting = others.length
    if (waiting === 0) return answer(found)
    for (const session of others) {
      const take = (row: unknown): void => {
        const { key } = (row ?? {}) as Partial<DetailsRow>
        if (typeof key === 'string') found.push({ session, key })
        waiting--
        if (waiting === 0) answer(found)
      }
      attempt<unknown>(
        store('details').get(session),
        take,
        unlessLost(() => take(undefined)),
      )
    }
  })
}
