import type { OperationRow } from '../../contract/operation-row.ts'
import { countOf } from './counted-id.ts'
import { operationsIn } from './operations-in.ts'
import { readValues } from './read-keyed-values.ts'
import type { KeyRanges } from './record-keys.ts'
import type { WriteSteps } from './transaction.ts'

/** How many operations share a row, which is read as a whole for any of them. */
const mostInRow = 64

/**
 * Stores each operation so that its id finds it. Operations with consecutive ids, as a page draws them, share a row,
 * because a row for each would slow down a burst. An operation that is done again has a row of its own, which is looked
 * up first.
 */
export function putOperations(steps: WriteSteps, session: number, operations: readonly OperationRow[]): void {
  const store = steps.store('operations')
  for (const run of runsOf(operations)) {
    const { id } = run[0]!
    const counted = run.length > 1 ? countOf(id) : undefined
    store.put(run, counted === undefined ? [session, id] : [session, counted.stem, counted.count])
  }
}

function runsOf(operations: readonly OperationRow[]): readonly (readonly OperationRow[])[] {
  const runs: OperationRow[][] = []
  const singles: OperationRow[][] = []
  let next = ''
  for (const operation of operations) {
    if (operation.isRedone === true) {
      singles.push([operation])
      continue
    }
    const run = runs.at(-1)
    if (run !== undefined && operation.id === next && run.length < mostInRow) run.push(operation)
    else runs.push([operation])
    const counted = countOf(operation.id)
    next = counted === undefined ? '' : counted.stem + String(counted.count + 1)
  }
  return [...runs, ...singles]
}

/** It works without an index on `n`, which every write would pay for. */
export function forgetOperations(steps: WriteSteps, ranges: KeyRanges, session: number, below: number): void {
  readValues(steps, 'operations', ranges.session(session), (rows) => {
    for (const { key, value } of rows)
      if (operationsIn(value).every(({ n }) => n < below)) steps.store('operations').delete(key)
  })
}
