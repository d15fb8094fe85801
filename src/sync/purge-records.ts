import type { PurgeRecord } from '../contract/store/log-exchange.ts'
import { includesVector, joinVectors } from '../domain/version-vector.ts'
import { earliestLife } from './session-standing.ts'

/** What was purged, by key, and which documents of it the server has emptied. */
export interface PurgeRecords {
  all(): readonly PurgeRecord[]
  get(key: string): PurgeRecord | undefined
  /** Joins it with what is known to be purged under its key. */
  add(purge: PurgeRecord): void
  /** The first life whose document may have something of it. */
  dueLife(key: string): number | undefined
  /** Whether no later life was purged under this key. */
  isLastLife(purge: PurgeRecord): boolean
  /** The document of this life has nothing of this any more. After the last life, the record is removed. */
  emptied(purge: PurgeRecord): void
}

export function createPurgeRecords(): PurgeRecords {
  const records = new Map<string, PurgeRecord>()
  const dueLives = new Map<string, number>()
  const isLastLife = ({ key, life = 0 }: PurgeRecord): boolean => (records.get(key)?.life ?? 0) <= life
  return {
    all: () => [...records.values()],
    get: (key) => records.get(key),
    add: ({ key, vector, life = 0 }) => {
      const before = records.get(key)
      const latest = Math.max(life, before?.life ?? 0)
      if (before === undefined || !includesVector(before.vector, vector)) dueLives.set(key, earliestLife(latest))
      records.set(key, {
        key,
        vector: joinVectors(before?.vector ?? {}, vector),
        ...(latest === 0 ? {} : { life: latest }),
      })
    },
    dueLife: (key) => dueLives.get(key),
    isLastLife,
    emptied: (purge) => {
      const { key, vector, life = 0 } = purge
      if (!includesVector(vector, records.get(key)?.vector ?? {})) return
      if (!isLastLife(purge)) return void dueLives.set(key, life + 1)
      records.delete(key)
      dueLives.delete(key)
    },
  }
}
