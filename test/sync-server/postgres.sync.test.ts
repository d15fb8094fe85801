import { createRequire } from 'node:module'
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest'
import * as Y from 'yjs'
import { startSyncServer } from '../../server/index.js'
import { openStorage } from '../../server/src/store/open-storage.js'
import { type PostgresServer, startPostgres } from '../support/postgres-server.ts'
import { openSyncDevice } from '../support/sync-device.ts'

/** The server's own driver, wherever it is installed. */
const pg = createRequire(new URL('../../server/package.json', import.meta.url))('pg')

let database: PostgresServer
beforeAll(async () => {
  database = await startPostgres()
})
afterAll(() => database.close())

/** The update that a device makes by pushing a text. */
function push(document: Y.Doc, text: string): Uint8Array {
  const before = Y.encodeStateVector(document)
  document.getArray(`w:${document.clientID.toString(36)}`).push([text])
  return Y.encodeStateAsUpdate(document, before)
}

it.each(['by itself', 'because it grew'])(
  'what another node stored is still new to a node that has compacted meanwhile, %s',
  async (why) => {
    const { store } = await openStorage({ database: database.options }, (message) => expect.fail(message))
    const [here, there] = [await store.open(`ada/s/${why}`), await store.open(`ada/s/${why}`)]
    const [own, other] = [new Y.Doc(), new Y.Doc()]
    const writer = `w:${other.clientID.toString(36)}`
    const seen = new Y.Doc()
    const look = async () => {
      for (const update of await here.log.newer()) Y.applyUpdate(seen, update)
      return seen.getArray(writer).toArray()
    }
    await there.log.append(push(other, 'before'))
    await here.log.append(push(own, why === 'by itself' ? 'x' : 'x'.repeat(70_000)))
    if (why === 'by itself') await here.log.compact()
    expect(await look()).toEqual(['before'])
    await there.log.append(push(other, 'after'))
    expect(await look()).toEqual(['before', 'after'])
    await here.log.compact()
    expect(await here.log.newer()).toEqual([])
    await store.close()
  },
)

it('a database that can be read and not written to is no healthy one, until it can', async () => {
  const server = await startSyncServer({ port: 0, secret: 's', database: database.options, say: () => {} })
  const device = openSyncDevice(server.url, 'ada/s/health', 's')
  onTestFinished(async () => {
    device.close()
    await server.close()
  })
  const status = async () => (await fetch(`${server.httpUrl}/health`)).status
  await device.stored()
  // As with a full disk, or a primary that has become a standby.
  await query('ALTER TABLE keepsession_updates ADD CONSTRAINT no_writes CHECK (false) NOT VALID')
  device.push('message')
  await expect.poll(() => device.refusals).toContain('storage-failed')
  for (let look = 0; look < 3; look++) {
    expect(await status()).toBe(503)
    await new Promise((resolve) => setTimeout(resolve, 600))
  }
  await query('ALTER TABLE keepsession_updates DROP CONSTRAINT no_writes')
  await expect.poll(status).toBe(200)
  expect(await query("SELECT count(*)::int AS count FROM keepsession_updates WHERE document = ''")).toEqual([
    { count: 0 },
  ])
})

async function query(text: string): Promise<unknown[]> {
  const pool = new pg.Pool({ connectionString: database.options.url })
  try {
    return (await pool.query(text)).rows
  } finally {
    await pool.end()
  }
}
