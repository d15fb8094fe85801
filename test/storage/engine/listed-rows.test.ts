import { expect, it } from 'vitest'
import type { SessionListing } from '../../../src/contract/meta.ts'
import { ListedRows } from '../../../src/storage/engine/metadata/listed-rows.ts'

const conditions = {
  agentId: undefined,
  userId: undefined,
  archived: undefined,
  deleted: false,
  order: 'updated',
} as const

function rowOf(key: string, updatedAt: number, version = 1) {
  const listing = { key, title: key, updatedAt, createdAt: 0, archived: false, tags: [] } as unknown as SessionListing
  return { key, session: 1, version, listing }
}

it('keeps each session once in an order, although the time of one is damaged', () => {
  const rows = new ListedRows()
  for (const row of [rowOf('x', 30), rowOf('damaged', Number.NaN), rowOf('y', 10), rowOf('z', 20)]) rows.put(row)
  rows.inOrder(conditions)
  for (const [i, key] of ['y', 'z', 'x', 'damaged', 'y'].entries()) rows.put(rowOf(key, 40 + i, 2 + i))
  expect(
    rows
      .inOrder(conditions)
      .map(({ key }) => key)
      .toSorted(),
  ).toEqual(['damaged', 'x', 'y', 'z'])
})
