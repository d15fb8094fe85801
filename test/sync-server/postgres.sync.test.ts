import { afterAll, beforeAll, expect, it } from 'vitest'
import * as Y from 'yjs'
import { openStorage } from '../../server/src/store/open-storage.js'
import { type PostgresServer, startPostgres } from '../support/postgres-server.ts'

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

it.each(['by itself', 'because it grew'])('what another node stored is still new to a node that has compacted meanwhile, %s', async (why) => {
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
})
