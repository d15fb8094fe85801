import type { RowsOperation, RowsWrite } from '../../contract/stored-row.ts'
import { askedKeys, effectsOf, repeatedChanges } from '../row-effects.ts'
import type { WriteSteps } from './transaction.ts'
import { unlessLost } from './unless-lost.ts'

/** How many operations are remembered, in places that are used in turn. A worker may die with hundreds unanswered. */
const places = 4096

/** No collection has this name: these are the remembered operations, by their places, and the next place. */
const operationsName = ''
const nextPlace = [operationsName, -1]

/** An operation that was stored. An index finds it by its id. */
interface OperationPlace {
  readonly operation: string
  readonly print: string
  /** A digit for each op: 1 if it changed something. */
  readonly changed: string
}

/** Applies a write to a collection, or nothing if its operation is stored already. @param use - gets the outcome */
export function writeRows(
  steps: WriteSteps,
  { collection, ops, operation }: RowsWrite,
  use: (changed: readonly boolean[]) => void,
): void {
  const store = steps.store('rows')
  const apply = (): void => {
    const stored = new Set<string>()
    const asked = askedKeys(ops)
    let waiting = asked.size
    const write = (): void => {
      const { changed, rows } = effectsOf(ops, (key) => stored.has(key))
      for (const [key, row] of rows) {
        if (row === undefined) store.delete([collection, key])
        else store.put(row, [collection, key])
      }
      if (operation !== undefined) remember(steps, operation, changed)
      use(changed)
    }
    if (waiting === 0) return write()
    for (const key of asked) {
      steps.read(store.getKey([collection, key]), (found) => {
        if (found !== undefined) stored.add(key)
        waiting--
        if (waiting === 0) write()
      })
    }
  }
  if (operation === undefined) return apply()
  steps.attempt<OperationPlace | undefined>(
    store.index('operation').get(operation.id),
    (before) => {
      if (before === undefined) return apply()
      const changed = Array.from(before.changed, (digit) => digit === '1')
      use(repeatedChanges({ print: before.print, changed }, operation))
    },
    unlessLost(apply),
  )
}

function remember(steps: WriteSteps, { id, prints }: RowsOperation, changed: readonly boolean[]): void {
  const store = steps.store('rows')
  const at = (place: number): void => {
    const done: OperationPlace = { operation: id, print: prints[0]!, changed: changed.map(Number).join('') }
    store.put(done, [operationsName, place])
    store.put((place + 1) % places, nextPlace)
  }
  steps.attempt<unknown>(
    store.get(nextPlace),
    (place) => at(typeof place === 'number' ? place : 0),
    unlessLost(() => at(0)),
  )
}
