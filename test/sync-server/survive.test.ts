import { execFileSync } from 'node:child_process'
import { mkdir, mkdtemp, rename, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { type SpawnedServer, spawnSyncServer } from '../support/spawn-sync-server.ts'
import { openSyncDevice, type SyncDevice } from '../support/sync-device.ts'

let data: string
const servers: SpawnedServer[] = []
const devices: SyncDevice[] = []

beforeEach(async () => {
  data = await mkdtemp(join(tmpdir(), 'sync-data-'))
})
afterEach(async () => {
  for (const device of devices.splice(0)) device.close()
  for (const server of servers.splice(0)) await server.kill()
  await rm(data, { recursive: true, force: true })
})

async function start(shell?: string): Promise<SpawnedServer> {
  const server = await spawnSyncServer({ data, secret: 'secret' }, shell)
  servers.push(server)
  return server
}

function connect(server: SpawnedServer, name = 'ada/s/chat'): SyncDevice {
  const device = openSyncDevice(server.url, name, 'secret')
  devices.push(device)
  return device
}

interface Health {
  readonly ok: boolean
  readonly storage: { readonly reason: string }
}
const health = async (server: SpawnedServer) => (await (await fetch(`${server.httpUrl}/health`)).json()) as Health

it('what was acknowledged survives a server that is killed at once', async () => {
  for (let round = 0; round < 3; round++) {
    const server = await start()
    const device = connect(server, `ada/s/${round}`)
    await device.stored()
    let acknowledged = 0
    device.provider.on(
      'unsyncedChanges',
      ({ number }: { number: number }) => (acknowledged = Math.max(acknowledged, device.values().length - number)),
    )
    for (let entry = 0; entry < 200; entry++) device.push(['message', entry])
    await expect.poll(() => acknowledged, { interval: 1 }).toBeGreaterThan(20 * round)
    await server.kill()
    const reached = acknowledged

    const next = await start()
    const reader = connect(next, `ada/s/${round}`)
    await reader.stored()
    const kept = reader.values(device.document.clientID)
    expect(kept.length).toBeGreaterThanOrEqual(reached)
    expect(kept).toEqual(Array.from({ length: kept.length }, (_, entry) => ['message', entry]))
    await next.kill()
  }
})

it('SIGTERM stores what it has begun, tells the clients and exits with 0', async () => {
  const server = await start()
  const device = connect(server)
  device.push(['message'])
  await device.stored()
  expect(await server.stop()).toBe(0)
  await expect.poll(() => device.refusals).toContain('stopping')
})

// A limit on the size of files stands for a full disk: writing fails in the same place, with the same rules for what
// was written in part.
it.runIf(process.platform === 'linux')(
  'a full disk refuses what is new by name, says so, loses nothing, and takes it once there is room',
  async () => {
    const server = await start('ulimit -S -f 64;')
    const device = connect(server)
    // The provider counts wrongly what is pushed before the first exchange.
    await device.stored()
    const stored: string[] = []
    for (let entry = 0; device.refusals.length === 0 && entry < 100; entry++) {
      const text = `${entry}`.repeat(2_000)
      device.push([text])
      await Promise.race([
        device.stored().then(() => stored.push(text)),
        expect.poll(() => device.refusals).not.toEqual([]),
      ])
    }
    expect(device.refusals.join()).toContain('storage-full')
    expect(await health(server)).toMatchObject({ ok: false, storage: { reason: 'storage-full' } })
    expect(stored.length).toBeGreaterThan(3)

    const reader = connect(server)
    await reader.stored()
    expect(reader.values(device.document.clientID)).toEqual(stored.map((text) => [text]))

    execFileSync('prlimit', ['--pid', String(server.pid), '--fsize=unlimited:'])
    await expect.poll(() => health(server)).toMatchObject({ ok: true })
    const again = connect(server)
    again.push(['there is room'])
    await again.stored()
    await server.kill()

    const next = await start()
    const later = connect(next)
    await later.stored()
    expect(later.values(device.document.clientID)).toEqual(stored.map((text) => [text]))
    expect(later.values(again.document.clientID)).toEqual([['there is room']])
  },
)

it('a folder that can’t be used refuses documents by name, and serves them when it can', async () => {
  const server = await start()
  await rename(join(data, 'documents'), join(data, 'elsewhere'))
  await writeFile(join(data, 'documents'), 'no folder')
  const device = connect(server)
  await expect.poll(() => device.refusals).toContain('storage-failed')
  await rm(join(data, 'documents'))
  await mkdir(join(data, 'documents'))
  const again = connect(server)
  again.push(['message'])
  await again.stored()
  expect(await health(server)).toMatchObject({ ok: true })
})

it('a server whose words nobody reads any more goes on', async () => {
  const server = await start()
  server.hangUp()
  // Something to report, again and again.
  await writeFile(join(data, 'uploads'), 'in the way of the folder')
  const put = { method: 'PUT', headers: { Authorization: 'Bearer secret' }, body: 'x' }
  const statuses: number[] = []
  for (let attempt = 0; attempt < 3; attempt++) {
    statuses.push((await fetch(`${server.httpUrl}/blobs/ada/${'0'.repeat(64)}`, put)).status)
    await health(server)
  }
  expect(statuses).toEqual([503, 503, 503])
  expect(await server.stop()).toBe(0)
})

it('what a server stores can be read by its user only', async () => {
  await rm(data, { recursive: true })
  await start()
  expect((await stat(data)).mode & 0o077).toBe(0)
})

it('a second server on the same folder is refused, one after a kill is not', async () => {
  const server = await start()
  await expect(spawnSyncServer({ data, secret: 'secret' })).rejects.toThrow('in use')
  await server.kill()
  await start()
})
