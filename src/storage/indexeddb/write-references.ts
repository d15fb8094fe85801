import type { WriteBatch } from '../../contract/write-batch.ts'
import { collectUnnamed, letWait } from './collect-blobs.ts'
import type { KeyRanges } from './record-keys.ts'
import type { HeldRow, ReferenceRow } from './schema.ts'
import type { WriteSteps } from './transaction.ts'

/**
 * Counts the blobs that a batch names and no longer names. Blobs that only erased sessions named are erased at once,
 * and their hashes added to `collected`; others wait.
 */
export function writeReferences(steps: WriteSteps, ranges: KeyRanges, batch: WriteBatch, collected: Set<string>): void {
  const store = steps.store('references')
  const fallen = new Set<string>()
  const lowered = new Map<string, number>()
  let waiting = 1
  const done = (): void => {
    waiting--
    // This comes last, because another session of the batch may name what an erased one named.
    if (waiting > 0) return
    for (const [hash, at] of lowered) letWait(steps, ranges, hash, at)
    if (fallen.size > 0) collectUnnamed(steps, ranges, [...fallen], 'named', collected)
  }
  for (const {
    hot: { session },
    references = [],
  } of batch.sessions) {
    for (const { hash, by, at, isLost = false } of references) {
      waiting++
      steps.read<ReferenceRow | undefined>(store.get([hash, session]), (row) => {
        const count = Math.max(0, (row?.count ?? 0) + by)
        if (count > 0 || isLost) store.put({ session, count } satisfies ReferenceRow, [hash, session])
        else {
          store.delete([hash, session])
          lowered.set(hash, at)
        }
        done()
      })
      if (by > 0) {
        steps.read<HeldRow | undefined>(store.get([hash]), (held) => {
          if (held?.unnamedSince !== undefined) store.put({} satisfies HeldRow, [hash])
        })
      }
    }
  }
  for (const { session } of batch.erase) {
    waiting++
    steps.read<IDBValidKey[]>(store.index('session').getAllKeys(session), (keys) => {
      for (const key of keys as [hash: string, session: number][]) {
        store.delete(key)
        fallen.add(key[0])
      }
      done()
    })
  }
  done()
}
