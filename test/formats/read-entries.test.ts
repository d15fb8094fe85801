import { expect, it } from 'vitest'
import type { SessionStore } from '../../src/contract/store/session-store.ts'
import { readEntries } from '../../src/formats/read-log-entries.ts'

it('stops reading a long session for an export as soon as the page at hand is there', async () => {
  const ending = new AbortController()
  let pages = 0
  const store: Pick<SessionStore, 'changes'> = {
    changes: async () => {
      pages++
      ending.abort()
      return { entries: [], next: 'more', vv: {} }
    },
  }
  await expect(readEntries(store, 's', ending.signal)).rejects.toMatchObject({
    name: 'Aborted',
    message: 'The export was cancelled.',
  })
  expect(pages).toBe(1)
})
