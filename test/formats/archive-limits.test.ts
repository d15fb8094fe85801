import { expect, it, vi } from 'vitest'
import type { JsonValue } from '../../src/contract/json.ts'
import type { Message } from '../../src/contract/message.ts'
import type { SessionStore } from '../../src/contract/store/session-store.ts'
import { valueLimits } from '../../src/domain/normalise.ts'
import { exportFiles } from '../../src/files/export-files.ts'
import { importFiles } from '../../src/files/import-files.ts'
import { readEntries } from '../../src/formats/read-log-entries.ts'
import { openStore } from './support/picoclaw-files.ts'

vi.setConfig({ testTimeout: 60_000 })

/** A message with as many levels as one may have. */
function deepest(): Message {
  let deep: JsonValue = 'deep'
  for (let level = 1; level < valueLimits.maxDepth; level++) deep = [deep]
  return { role: 'user', content: 'see', deep }
}

/** A message with as many bytes as one may have. */
function largest(): Message {
  const around = JSON.stringify({ role: 'user', content: '' }).length
  return { role: 'user', content: 'x'.repeat(valueLimits.maxBytes - around) }
}

const said = async (message: Message): Promise<SessionStore> => {
  const store = openStore()
  await store.append('k', [{ type: 'message', message }])
  return store
}

const cases = [
  ['levels', deepest],
  ['bytes', largest],
] as const

it.each(cases)('a session with a message of as many %s as one may have comes back from an archive', async (_, make) => {
  const store = await said(make())
  const other = openStore()
  const report = await importFiles(other, await exportFiles(store, 'archive'))
  expect(report).toMatchObject({ keys: ['k'], skipped: [] })
  expect(await readEntries(other, 'k')).toEqual(await readEntries(store, 'k'))
  expect(await other.getHistory('k')).toEqual([make()])
})

it('an edit to a message of as many levels as one may have comes back from an archive', async () => {
  const store = await said({ role: 'user', content: 'before' })
  const { entries } = await store.read('k')
  await store.edit('k', entries[0]!, deepest())
  const other = openStore()
  expect(await importFiles(other, await exportFiles(store, 'archive'))).toMatchObject({ skipped: [] })
  expect(await other.getHistory('k')).toEqual([deepest()])
})

it.each(cases)('a store takes a message of as many %s as one may have from another store', async (_, make) => {
  const entries = await readEntries(await said(make()), 'k')
  expect(await openStore().merge('k', entries)).toMatchObject({ added: 1, refused: [] })
})
