import type { DraftChunk } from '../contract/change.ts'
import type { OperationRow } from '../contract/operation-row.ts'
import type { HotRow } from '../contract/rows.ts'
import type { StoredRow } from '../contract/stored-row.ts'
import type { RawRow } from '../storage/indexeddb/row-access.ts'
import type { DetailsRow } from '../storage/indexeddb/schema.ts'
import { keyOfBlob, sealBlob, unsealBlob } from './sealed-blob.ts'
import { sealedText } from './sealed-entry.ts'
import { sealRow, unsealRow, withSealedPrint } from './sealed-row.ts'
import {
  isSealed,
  sealChunk,
  sealCold,
  sealHot,
  sealOperation,
  unsealChunk,
  unsealCold,
  unsealHot,
  unsealOperation,
} from './sealed-rows.ts'
import { keyOfSealed, type Sealer } from './sealer.ts'

/** Object stores with sealed rows, other than the entries. */
export type SealedStore = 'sessions' | 'details' | 'operations' | 'drafts' | 'blobs' | 'rows' | 'aside'

/** Seals a row with the current key. @returns the new row; `undefined` when the row can stay as it is */
export type ResealChange = (row: RawRow) => Promise<unknown>

/** Id of the key that a row is sealed with; `''` for a plain row. */
export const keyOfRow = (row: unknown): string => (isSealed(row) ? keyOfSealed(sealedText(row)) : '')

/** How the rows of each store are sealed again, in the order in which the stores must be visited. */
export function resealChanges(sealer: Sealer): readonly (readonly [store: SealedStore, change: ResealChange])[] {
  const current = sealer.keyId()
  const isDone = (row: unknown): boolean => keyOfRow(row) === current

  return [
    [
      'details',
      async ({ key, value }) => {
        if (isDone(value)) return undefined
        const { key: owner, ...cold } = value as DetailsRow
        const plain = await unsealCold(sealer, key as number, cold)
        const row = sealer.isSealing() ? await sealCold(sealer, key as number, plain) : plain
        return owner === undefined ? row : { ...row, key: owner }
      },
    ],
    [
      'sessions',
      async ({ value }) => {
        if (isDone(value)) return undefined
        const plain = await unsealHot(sealer, value as HotRow)
        // A new version makes tabs that hold the plain row read it again, and so learn that it is sealed.
        return sealer.isSealing()
          ? sealHot(sealer, isSealed(value) ? plain : { ...plain, version: plain.version + 1 })
          : plain
      },
    ],
    [
      'operations',
      async ({ key, value }) => {
        const [session] = key as [number]
        if (!Array.isArray(value) || value.every(isDone)) return undefined
        const plain = await Promise.all((value as OperationRow[]).map((one) => unsealOperation(sealer, session, one)))
        return sealer.isSealing() ? Promise.all(plain.map((one) => sealOperation(sealer, session, one))) : plain
      },
    ],
    [
      'drafts',
      async ({ key, value }) => {
        const [session, draft, n] = key as [number, string, number]
        if (n < 0 || isDone(value)) return undefined
        const plain = await unsealChunk(sealer, session, draft, n, value as DraftChunk)
        return sealer.isSealing() ? sealChunk(sealer, session, draft, n, plain) : plain
      },
    ],
    [
      'blobs',
      async ({ key, value }) => {
        const { size, blob } = value as { size: number; blob: Blob }
        if (((await keyOfBlob(blob)) ?? '') === current) return undefined
        const plain = await unsealBlob(sealer, key as string, blob)
        return { size, blob: sealer.isSealing() ? await sealBlob(sealer, key as string, plain) : plain }
      },
    ],
    [
      'rows',
      async ({ key, value }) => {
        const [collection, of] = key as [string, string]
        if (collection === '') return sealer.isSealing() ? withSealedPrint(sealer, value) : undefined
        if (isDone(value)) return undefined
        const plain = await unsealRow(sealer, collection, of, value as StoredRow)
        return sealer.isSealing() ? sealRow(sealer, collection, of, plain) : plain
      },
    ],
    // Records that could not be read, in any form. The row stays a list, because more may be added to it.
    [
      'aside',
      async ({ key, value }) => {
        const place = `aside ${JSON.stringify(key)}`
        const list = Array.isArray(value) ? value : [value]
        if (list.every(isDone)) return undefined
        const open = async (one: unknown): Promise<readonly unknown[]> =>
          isSealed(one) ? (JSON.parse(await sealer.open(sealedText(one), place)) as unknown[]) : [one]
        const plain = (await Promise.all(list.map(open))).flat()
        return sealer.isSealing() ? [{ sealed: await sealer.seal(JSON.stringify(plain), place) }] : plain
      },
    ],
  ]
}
