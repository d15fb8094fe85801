import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { startSyncServer } from '../../server/index.js'
import { drawPairingCode, pairingRoom } from '../../src/sync/encryption/pairing-code.ts'
import { openSyncDevice } from '../support/sync-device.ts'

it('two devices meet where a pairing code leads, and nothing is kept of it', async () => {
  const data = await mkdtemp(join(tmpdir(), 'sync-data-'))
  const server = await startSyncServer({ port: 0, data, secret: 'secret', say: () => {} })
  onTestFinished(async () => {
    await server.close()
    await rm(data, { recursive: true, force: true })
  })
  const room = `ada/pair/${pairingRoom(drawPairingCode())}`
  const [phone, laptop] = [openSyncDevice(server.url, room, 'secret'), openSyncDevice(server.url, room, 'secret')]
  await Promise.all([phone.stored(), laptop.stored()])
  phone.provider.setAwarenessField('offer', 'a public key')
  await expect
    .poll(() => [...laptop.provider.awareness!.getStates().values()])
    .toContainEqual({ offer: 'a public key' })
  expect(phone.refusals).toEqual([])
  phone.push('content')
  await expect.poll(() => phone.refusals.join()).toContain('foreign-update')
  for (const device of [phone, laptop]) device.close()
  expect(await readdir(join(data, 'documents'))).toEqual([])
})
