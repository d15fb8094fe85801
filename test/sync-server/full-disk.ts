import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type NodeSyncDevice, openNodeSyncDevice } from '../support/node-sync-devices.ts'
import { type SpawnedServer, spawnSyncServer } from '../support/spawn-sync-server.ts'

/** Where a server stores, and which can be full. */
export interface Disk {
  readonly folder: string
  /** What the shell does before the server starts. */
  readonly shell?: string
  /** Leaves hardly any room, if there was more. */
  fill(): Promise<void>
  makeRoom(server: SpawnedServer): Promise<void>
  close(): Promise<void>
}

/** What devices say and do while the disk of their server is full. */
export function describeFullDisk(name: string, openDisk: () => Promise<Disk>): void {
  describe(`a full disk of the server (${name})`, () => {
    let disk: Disk
    let server: SpawnedServer
    let devices: readonly NodeSyncDevice[] = []

    beforeEach(async () => {
      disk = await openDisk()
      server = await spawnSyncServer({ data: disk.folder, secret: 'secret' }, disk.shell)
    })
    afterEach(async () => {
      await Promise.all(devices.map((device) => device.close()))
      await server?.kill()
      await disk?.close()
    })

    it('refuses what is new, and the device that sent it says why; with room again all is sent by itself', async () => {
      const [a, b] = (devices = await Promise.all([
        openNodeSyncDevice({ url: server.url }),
        openNodeSyncDevice({ url: server.url }),
      ]))
      await a!.say('before')
      await expect.poll(() => b!.texts()).toEqual(['before'])
      await expect.poll(() => a!.sync.status().state).toBe('synced')
      await disk.fill()
      const texts = Array.from({ length: 60 }, (_, n) => `${n} ${'x'.repeat(2_000)}`)
      await a!.say(...texts)
      await expect
        .poll(() => a!.sync.status())
        .toMatchObject({
          state: 'error',
          message: expect.stringContaining('the disk of the server is full (storage-full)'),
        })
      expect(await (await fetch(`${server.httpUrl}/health`)).json()).toMatchObject({
        ok: false,
        storage: { reason: 'storage-full' },
      })
      // What the other device has is the beginning of it: nothing that was refused went on.
      const had = await b!.texts()
      expect(had).toEqual(['before', ...texts].slice(0, had.length))
      expect(had.length).toBeLessThan(61)
      expect(await a!.texts()).toEqual(['before', ...texts])

      await disk.makeRoom(server)
      await expect.poll(() => b!.texts()).toEqual(['before', ...texts])
      await expect.poll(() => [a!, b!].map(({ sync }) => sync.status().state)).toEqual(['synced', 'synced'])
      await expect.poll(async () => (await fetch(`${server.httpUrl}/health`)).json()).toMatchObject({ ok: true })
    })
  })
}
