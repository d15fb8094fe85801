import type { JsonObject } from '../../contract/json.ts'
import { namedBlobs } from '../../domain/named-blobs.ts'
import { isBodyMark, place, sealedCrc } from '../packed-entry.ts'
import type { RecordKey } from './record-keys.ts'
import { readRecordValue } from './record-value.ts'
import type { HeldRow, ReferenceRow } from './schema.ts'
import type { UpgradeStep } from './upgrade-step.ts'

/**
 * Format 2: counts the blobs that the entries of each session name. Blobs that nothing names wait to be collected from
 * now on. A session with unreadable content may name any blob, and so may one with sealed content, which can't be
 * opened here. No release ever sealed format 1.
 */
export const countReferences: UpgradeStep = ({ steps, visitAll }, done) => {
  const counts = new Map<string, Map<number, number>>()
  const damaged = new Set<number>()
  const count = (session: number, type: string, data: JsonObject): void => {
    for (const hash of namedBlobs({ type, data })) {
      const sessions = counts.get(hash) ?? new Map<number, number>()
      counts.set(hash, sessions.set(session, (sessions.get(session) ?? 0) + 1))
    }
  }

  visitAll(
    'entries',
    (key, value) => {
      const [session, , order] = key as RecordKey
      const { entries, isDamaged } = readRecordValue(order, value)
      if (isDamaged) damaged.add(session)
      for (const entry of entries) {
        const data = entry[place.data]
        if (entry[place.crc] === sealedCrc) damaged.add(session)
        else if (!isBodyMark(data)) count(session, entry[place.type], data)
      }
    },
    () =>
      visitAll(
        'bodies',
        (key, value) => {
          const { 0: session, length } = key as [number, ...IDBValidKey[]]
          if (typeof value !== 'object' || value === null) damaged.add(session)
          // The new content of an edit belongs to an entry of its own.
          else if (length === bodyKeyLength) count(session, '', value as JsonObject)
        },
        writeRows,
      ),
  )

  function writeRows(): void {
    const store = steps.store('references')
    for (const [hash, sessions] of counts)
      for (const [session, found] of sessions)
        store.put({ session, count: found } satisfies ReferenceRow, [hash, session])
    steps.read<IDBValidKey[]>(steps.store('blobs').getAllKeys(), (hashes) => {
      for (const hash of hashes as string[]) {
        const named = counts.get(hash)
        store.put((named === undefined ? { unnamedSince: Date.now() } : {}) satisfies HeldRow, [hash])
        for (const session of damaged)
          if (!named?.has(session)) store.put({ session, count: 0 } satisfies ReferenceRow, [hash, session])
      }
      done()
    })
  }
}

/** Length of the keys in `bodies` that belong to an entry itself. */
const bodyKeyLength = 3
