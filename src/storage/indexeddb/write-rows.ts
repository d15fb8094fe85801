import type { RowsOperation, RowsStamp, RowsWrite } from '../../contract/stored-row.ts'
import { askedKeys, effectsOf, repeatedChanges } from '../row-effects.ts'
import type { ReadSteps, Steps, WriteSteps } from './transaction.ts'
import { unlessLost } from './unless-lost.ts'

/** How many operations are remembered, in places that are used in turn. A worker may die with hundreds unanswered. */
const places = 4096

/** No collection has this name: these are the remembered operations, by their places, the next place, the last stamp. */
const operationsName = ''
const nextPlace = [operationsName, -1]
const lastStamp = [operationsName, -2]
/** In place of a stamp that can't be read. */
const unknownStamp = -1

/** An operation that was stored. An index finds it by its id. */
interface OperationPlace {
  readonly operation: string
  readonly print: string
  /** A digit for each op: 1 if it changed something. */
  readonly changed: string
}

/** {@link StorageBackend.lastRowsStamp}. */
export const readRowsStamp = (steps: ReadSteps<number>): void => readStamp(steps, steps.answer)

/**
 * Applies a write to a collection, or nothing if its operation is stored already.
 *
 * @param use - gets the outcome, and the commit's stamp if something changed
 */
export function writeRows(
  steps: WriteSteps,
  { collection, ops, operation, after }: RowsWrite,
  use: (changed: readonly boolean[], stamped?: RowsStamp) => void,
): void {
  const store = steps.store('rows')
  const apply = (): void => {
    const stored = new Set<string>()
    const asked = askedKeys(ops)
    let waiting = asked.size + 1
    let previous = unknownStamp
    const write = (): void => {
      waiting--
      if (waiting > 0) return
      if (after !== undefined && after !== previous) return use(ops.map(() => false))
      const { changed, rows } = effectsOf(ops, (key) => stored.has(key))
      for (const [key, row] of rows) {
        if (row === undefined) store.delete([collection, key])
        else store.put(row, [collection, key])
      }
      if (operation !== undefined) remember(steps, operation, changed)
      if (rows.size === 0) return use(changed)
      // A clock that was set back must not order this commit before others.
      const stamp = Math.max(previous + 1, Date.now())
      store.put(stamp, lastStamp)
      use(changed, { stamp, previous })
    }
    readStamp(steps, (found) => {
      previous = found
      write()
    })
    for (const key of asked) {
      steps.read(store.getKey([collection, key]), (found) => {
        if (found !== undefined) stored.add(key)
        write()
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

function readStamp(steps: Steps, use: (stamp: number) => void): void {
  steps.attempt<unknown>(
    steps.store('rows').get(lastStamp),
    (found) => use(found === undefined ? 0 : Number.isSafeInteger(found) ? (found as number) : unknownStamp),
    unlessLost(() => use(unknownStamp)),
  )
}
