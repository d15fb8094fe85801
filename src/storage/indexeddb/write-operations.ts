import type { OperationRow } from '../../contract/rows.ts'
import { countOf } from './counted-id.ts'
import type { KeyRanges } from './record-keys.ts'
import { operationsIn } from './operations-in.ts'
import { readValues } from './read-keyed-values.ts'
import type { WriteSteps } from './transaction.ts'

/** Operations in one row, which is read whole for any of them. */
const mostInRow = 64

/**
 * Stores each operation so that its id leads to it. Those whose ids count on from one to the next, as a page draws them, share a row: a burst would
 * pay for each. One that is done anew has a row of its own, which is looked for first.
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

/** Without an index on `n`, which every write would pay for. */
export function forgetOperations(steps: WriteSteps, ranges: KeyRanges, session: number, below: number): void {
  readValues(steps, 'operations', ranges.session(session), (rows) => {
    for (const { key, value } of rows) if (operationsIn(value).every(({ n }) => n < below)) steps.store('operations').delete(key)
  })
}
