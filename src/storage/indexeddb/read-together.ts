import type { Connection } from './connection.ts'
import type { StoreName } from './schema.ts'
import type { ReadSteps } from './transaction.ts'

interface Waiting<Value, Key> {
  readonly key: Key
  readonly resolve: (value: Value) => void
  readonly reject: (error: unknown) => void
  isSettled: boolean
}

/**
 * Reads of one tick share a transaction: when it starts, sync reads every session at once, and a sweep looks at many.
 * When one of them is unreadable, the others are read singly.
 */
export function readTogether<Value, Key = string>(
  { read }: Pick<Connection, 'read'>,
  stores: readonly StoreName[],
  doing: string,
  readOne: (steps: ReadSteps<Value>, key: Key) => void,
): (key: Key) => Promise<Value> {
  let waiting: Waiting<Value, Key>[] = []

  const readAll = (group: readonly Waiting<Value, Key>[]): Promise<void> =>
    read<void>(stores, doing, (steps) => {
      let left = group.length
      for (const one of group) {
        const answer = (value: Value): void => {
          one.isSettled = true
          one.resolve(value)
          left -= 1
          if (left === 0) steps.answer()
        }
        readOne({ ...steps, answer }, one.key)
      }
    })

  const run = async (group: readonly Waiting<Value, Key>[]): Promise<void> => {
    try {
      await readAll(group)
    } catch (error) {
      const left = group.filter(({ isSettled }) => !isSettled)
      if (group.length === 1) left[0]?.reject(error)
      else for (const one of left) void run([one])
    }
  }

  return (key) =>
    new Promise((resolve, reject) => {
      const one = { key, resolve, reject, isSettled: false }
      if (waiting.push(one) > 1) return
      queueMicrotask(() => {
        const group = waiting
        waiting = []
        void run(group)
      })
    })
}
