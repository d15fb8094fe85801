import { writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { IDBFactory, IDBKeyRange } from 'fake-indexeddb'
import { it } from 'vitest'
import { createSessionStore } from '../../../src/storage/create-session-store.ts'
import { openIndexedDbBackend } from '../../../src/storage/indexeddb/indexeddb-backend.ts'
import { dumpDatabase } from './database-dump.ts'
import { fillStore } from './fill-store.ts'
import { readStore } from './read-store.ts'

const name = 'fixture'
const format = process.env['WRITE_FORMAT']

// Before a new format replaces today's: WRITE_FORMAT=1 npx vitest run --project node
// test/storage/formats/write-format.test.ts
it.runIf(format !== undefined)("writes a fixture of today's format", async () => {
  const indexedDB = new IDBFactory()
  let ticks = 1_750_000_000_000
  let drawn = 1
  const options = {
    now: () => (ticks += 10),
    randomBytes: (into: Uint8Array) => {
      for (let i = 0; i < into.length; i++) into[i] = (drawn = (drawn * 48_271) % 2_147_483_647) & 255
    },
  }
  const open = async () => createSessionStore(await openIndexedDbBackend({ name, indexedDB, IDBKeyRange }), options)
  const [store, another] = [await open(), await open()]
  await fillStore(store, another)
  await Promise.all([store.close(), another.close()])
  const database = await dumpDatabase(indexedDB, name)
  const reader = await open()
  const readings = await readStore(reader)
  await reader.close()
  writeFileSync(
    fileURLToPath(new URL(`../../fixtures/formats/format-${format}.json`, import.meta.url)),
    `${JSON.stringify({ database, readings })}\n`,
  )
})
