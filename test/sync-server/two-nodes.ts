import { createHash, randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { MessageType } from '@hocuspocus/provider'
import { createEncoder, toUint8Array, writeVarString, writeVarUint } from 'lib0/encoding'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { WebSocket } from 'ws'
import * as Y from 'yjs'
import type { PostgresOptions, S3Options } from '../../server/src/options.js'
import { openStorage } from '../../server/src/store/open-storage.js'
import { openNodeSyncDevice } from '../support/node-sync-devices.ts'
import { type RedisServer, startRedis } from '../support/redis-server.ts'
import { type SpawnedServer, spawnSyncServer } from '../support/spawn-sync-server.ts'
import { openSyncDevice, type SyncDevice } from '../support/sync-device.ts'

interface Database {
  readonly options: PostgresOptions | S3Options
  close(): Promise<void>
}

/** What two nodes do that share a database and a Redis. */
export function describeTwoNodes(name: string, startDatabase: () => Promise<Database>): void {
  describe(`two nodes with ${name} and Redis`, () => {
    let database: Database
    let redis: RedisServer
    let nodes: [SpawnedServer, SpawnedServer]
    let session = ''
    const devices: SyncDevice[] = []

    beforeAll(async () => {
      ;[database, redis] = await Promise.all([startDatabase(), startRedis()])
    })
    afterAll(async () => {
      await Promise.all([redis.kill(), database.close()])
    })
    beforeEach(async () => {
      session = `ada/s/${randomBytes(16).toString('base64url')}`
      nodes = await Promise.all([start(), start()])
    })
    afterEach(async () => {
      for (const device of devices.splice(0)) device.close()
      await Promise.all(nodes.map((node) => node.kill()))
    })

    const start = () => spawnSyncServer({ secret: 'secret', database: database.options, redis: redis.url })
    const connect = (node: SpawnedServer) => {
      const device = openSyncDevice(node.url, session, 'secret')
      devices.push(device)
      return device
    }
    const health = async (node: SpawnedServer) =>
      (await (await fetch(`${node.httpUrl}/health`)).json()) as { readonly redis: string }

    it('a document is unloaded though its only client left while it was opened, and devices of the other node are there', async () => {
      const phone = connect(nodes[0])
      await phone.stored()
      phone.provider.setAwarenessField('typing', true)
      const used = async () =>
        [
          ...(await (await fetch(`${nodes[1].httpUrl}/metrics`)).text()).matchAll(
            /sync_(?:documents|connections) (\d+)/g,
          ),
        ].map(([, count]) => count)
      const opening = createEncoder()
      writeVarString(opening, session)
      for (const number of [MessageType.Auth, 0]) writeVarUint(opening, number)
      writeVarString(opening, 'secret')
      for (let visit = 0; visit < 3; visit++) {
        const socket = new WebSocket(nodes[1].url)
        await once(socket, 'open')
        socket.send(toUint8Array(opening))
        // It is read with what comes right behind it, and then the client is gone.
        await used()
        socket.close()
        await expect.poll(used).toEqual(['0', '0'])
      }
    })

    it('a device of one sees what a device of the other sends, and that it is there', async () => {
      const [phone, laptop] = [connect(nodes[0]), connect(nodes[1])]
      await Promise.all([phone.stored(), laptop.stored()])
      phone.push(['from the phone'])
      laptop.push(['from the laptop'])
      phone.provider.setAwarenessField('typing', true)
      await expect.poll(() => laptop.values(phone.document.clientID)).toEqual([['from the phone']])
      await expect.poll(() => phone.values(laptop.document.clientID)).toEqual([['from the laptop']])
      await expect
        .poll(() => [...(laptop.provider.awareness?.getStates().values() ?? [])])
        .toContainEqual({ typing: true })
    })

    it('one that is killed takes nothing along that it has acknowledged, and the other goes on', async () => {
      const [phone, laptop] = [connect(nodes[0]), connect(nodes[1])]
      await Promise.all([phone.stored(), laptop.stored()])
      for (let entry = 0; entry < 30; entry++) phone.push(['message', entry])
      await phone.stored()
      await nodes[0].kill()
      // The phone is gone as well: what it was told is stored must come from the database.
      const tablet = connect(nodes[1])
      await expect.poll(() => tablet.values(phone.document.clientID)).toHaveLength(30)
      await expect.poll(() => laptop.values(phone.document.clientID)).toHaveLength(30)
      laptop.push(['goes on'])
      await expect.poll(() => tablet.values(laptop.document.clientID)).toEqual([['goes on']])
    })

    it('go on while Redis is gone, and tell each other what they missed when it is back', async () => {
      const [phone, laptop] = [connect(nodes[0]), connect(nodes[1])]
      await Promise.all([phone.stored(), laptop.stored()])
      await redis.kill()
      await expect.poll(() => health(nodes[0])).toMatchObject({ ok: false, redis: 'away' })
      phone.push(['without Redis'])
      await phone.stored()
      const tablet = connect(nodes[1])
      await expect.poll(() => tablet.values(phone.document.clientID)).toEqual([['without Redis']])
      session = `${session}2`
      const fresh = connect(nodes[1])
      fresh.push(['a new document'])
      await fresh.stored()
      await redis.start()
      await expect.poll(() => laptop.values(phone.document.clientID)).toEqual([['without Redis']])
      const other = connect(nodes[0])
      await expect.poll(() => other.values(fresh.document.clientID)).toEqual([['a new document']])
      fresh.push(['after it'])
      await expect.poll(() => other.values(fresh.document.clientID)).toHaveLength(2)
      await expect.poll(() => health(nodes[0])).toMatchObject({ ok: true, redis: 'ok' })
    })

    it('bring what was said while Redis was gone to the devices of the other node, without anybody connecting again', async () => {
      const [phone, laptop] = await Promise.all(
        nodes.map((node) => openNodeSyncDevice({ url: node.url, namespace: session.slice(-20) })),
      )
      const both = [phone!, laptop!]
      try {
        await phone!.say('before')
        await expect.poll(() => laptop!.texts()).toEqual(['before'])
        await redis.kill()
        await expect
          .poll(() => Promise.all(nodes.map(health)))
          .toEqual(nodes.map(() => expect.objectContaining({ ok: false, redis: 'away' })))
        await Promise.all([phone!.say('phone 1', 'phone 2'), laptop!.say('laptop 1', 'laptop 2')])
        await phone!.store.addMessage('new', 'user', 'a session that the laptop never saw')
        const saidMeanwhile = both.map(({ said }) => said.length)
        await redis.start()
        for (const device of both) await expect.poll(async () => (await device.texts()).length).toBe(5)
        expect(await phone!.texts()).toEqual(await laptop!.texts())
        await expect.poll(() => laptop!.texts('new')).toEqual(['a session that the laptop never saw'])
        for (const device of both) await expect.poll(() => device.sync.status().state).toBe('synced')
        for (const [i, { said }] of both.entries())
          expect(said.slice(saidMeanwhile[i]).map(({ state }) => state)).not.toContain('offline')
        await expect
          .poll(() => Promise.all(nodes.map(health)))
          .toEqual(nodes.map(() => expect.objectContaining({ ok: true, redis: 'ok' })))
      } finally {
        await Promise.all(both.map((device) => device.close()))
      }
    })

    it('serve each other’s blobs', async () => {
      const content = randomBytes(100_000)
      const path = `/blobs/ada/${createHash('sha256').update(content).digest('hex')}`
      const headers = { Authorization: 'Bearer secret' }
      expect((await fetch(nodes[1].httpUrl + path, { headers })).status).toBe(404)
      expect((await fetch(nodes[0].httpUrl + path, { headers, method: 'PUT', body: content })).status).toBe(201)
      const head = await fetch(nodes[1].httpUrl + path, { headers, method: 'HEAD' })
      expect(head.headers.get('content-length')).toBe('100000')
      expect(Buffer.from(await (await fetch(nodes[1].httpUrl + path, { headers })).arrayBuffer()).equals(content)).toBe(
        true,
      )
    })
  })

  describe(`documents in ${name}`, () => {
    it('lose nothing when nodes write and compact at once, and each node learns what is new to it', async () => {
      const database = await startDatabase()
      const stores = await Promise.all(
        [0, 1].map(
          async () => (await openStorage({ database: database.options }, (message) => expect.fail(message))).store,
        ),
      )
      const known = stores.map(() => new Y.Doc())
      const logs = await Promise.all(stores.map((store) => store.open('ada/s/x')))
      const expected = new Y.Doc()
      await Promise.all(
        logs.map(async ({ log }, node) => {
          for (let round = 0; round < 15; round++) {
            const writer = new Y.Doc()
            const array = writer.getArray(`w:${writer.clientID.toString(36)}`)
            array.push([[node, round, 'x'.repeat(3_000)], ['purged']])
            array.delete(1)
            const update = Y.encodeStateAsUpdate(writer)
            Y.applyUpdate(expected, update)
            await log.append(update)
            Y.applyUpdate(known[node]!, update)
            if (round % 4 === node) await log.compact()
            for (const newer of await log.newer()) Y.applyUpdate(known[node]!, newer)
          }
        }),
      )
      const late = new Y.Doc()
      for (const update of (await stores[0]!.open('ada/s/x')).updates) Y.applyUpdate(late, update)
      for (const [node, { log }] of logs.entries())
        for (const update of await log.newer()) Y.applyUpdate(known[node]!, update)
      for (const doc of [late, ...known]) expect(valuesOf(doc)).toEqual(valuesOf(expected))
      await Promise.all(stores.map((store) => store.close()))
      await database.close()
    })
  })
}

/** By writer: the values of a document that holds nothing else. */
function valuesOf(doc: Y.Doc): Record<string, unknown[]> {
  const writers = [...Y.decodeStateVector(Y.encodeStateVector(doc)).keys()].sort((a, b) => a - b)
  return Object.fromEntries(writers.map((writer) => [writer, doc.getArray(`w:${writer.toString(36)}`).toArray()]))
}
