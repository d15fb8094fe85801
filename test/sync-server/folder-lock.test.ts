import { execFileSync } from 'node:child_process'
import { mkdtemp, readFile, rm, stat, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it, onTestFinished } from 'vitest'
import { startSyncServer } from '../../server/index.js'
import { fileName } from '../../server/src/store/folder/file-name.js'
import { type FolderLock, lockFolder } from '../../server/src/store/folder/lock-folder.js'
import { markProcess } from '../../server/src/store/folder/process-mark.js'
import { spawnSyncServer } from '../support/spawn-sync-server.ts'
import { openSyncDevice } from '../support/sync-device.ts'

let folder: string
const locks: FolderLock[] = []
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'sync-data-'))
})
afterEach(async () => {
  for (const lock of locks.splice(0)) await lock.release()
  await rm(folder, { recursive: true, force: true })
})

const path = () => join(folder, 'server.lock')
/** Renews so often that nobody has to wait for it. */
async function take(renewal = 40): Promise<FolderLock> {
  const lock = await lockFolder(folder, () => {}, { renewal })
  locks.push(lock)
  return lock
}
/** A lock as a server has it that can't be seen from here: on another machine, in another container. */
const heldElsewhere = () => writeFile(path(), JSON.stringify({ id: 'other', place: 'elsewhere', pid: 1, started: '1' }))

it('a lock that somebody out of sight renews holds, and one that nobody renews any more doesn’t', async () => {
  await heldElsewhere()
  const renewals = setInterval(() => void utimes(path(), new Date(), new Date()), 40)
  onTestFinished(() => clearInterval(renewals))
  await expect(take()).rejects.toThrow('in use')
  clearInterval(renewals)
  await (await take()).check()
})

it('a lock that is held is renewed', async () => {
  await take()
  const { mtimeMs } = await stat(path())
  await expect.poll(async () => (await stat(path())).mtimeMs).toBeGreaterThan(mtimeMs)
})

it('of several who want a lock that nobody renews, one gets it', async () => {
  await heldElsewhere()
  const results = await Promise.allSettled([take(), take(), take()])
  expect(results.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected', 'rejected'])
  await locks[0]!.check()
})

it('what a power cut left of a lock holds nobody up for good', async () => {
  await writeFile(path(), '')
  await (await take()).check()
})

it.runIf(process.platform === 'linux')(
  'the number of a process that is another program’s by now holds nothing, and nobody waits',
  async () => {
    await writeFile(path(), JSON.stringify({ id: 'other', ...(await markProcess()), pid: process.ppid, started: '1' }))
    await (await take(60_000)).check()
  },
)

it('a lock that was taken over is lost for good, and not given back for the other', async () => {
  const lock = await take()
  await heldElsewhere()
  await expect.poll(() => lock.lost).toBeDefined()
  await expect(lock.check()).rejects.toThrow('belongs to another sync server')
  await lock.release()
  expect(await readFile(path(), 'utf8')).toContain('elsewhere')
})

it('a server whose folder was taken over acknowledges nothing more, leaves the files alone and says so', async () => {
  const server = await startSyncServer({ port: 0, data: folder, secret: 's', say: () => {} })
  const device = openSyncDevice(server.url, 'ada/s/chat', 's')
  onTestFinished(async () => {
    device.close()
    await server.close()
  })
  const log = join(folder, 'documents', 'ada', `${fileName('s/chat')}.log`)
  device.push('message')
  await device.stored()
  const { ino, size } = await stat(log)
  await heldElsewhere()
  // So long that it would be compacted after it.
  device.push('x'.repeat(70_000))
  await expect.poll(() => device.refusals).toContain('storage-failed')
  expect(await stat(log)).toMatchObject({ ino, size })
  for (let look = 0; look < 2; look++) expect((await fetch(`${server.httpUrl}/health`)).status).toBe(503)
})

it('a server without anything to store finds out as well, and says so', async () => {
  const server = await startSyncServer({ port: 0, data: folder, secret: 's', say: () => {} })
  onTestFinished(() => server.close())
  expect((await fetch(`${server.httpUrl}/health`)).status).toBe(200)
  await heldElsewhere()
  await expect
    .poll(async () => (await fetch(`${server.httpUrl}/health`)).json())
    .toMatchObject({ ok: false, storage: { message: expect.stringContaining('belongs to another sync server') } })
})

/** Runs what follows as process 1 of its own, as a container does. */
const CONTAINER = `exec unshare --pid --fork --kill-child --mount-proc sh -c '"$@"'`
const hasContainers = (() => {
  try {
    execFileSync('sh', ['-c', `${CONTAINER} exec true`], { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
})()

it.runIf(hasContainers)('of two containers with one folder, the second is refused', async () => {
  const server = await spawnSyncServer({ data: folder, secret: 's' }, CONTAINER)
  onTestFinished(() => server.kill())
  await expect(spawnSyncServer({ data: folder, secret: 's' }, CONTAINER)).rejects.toThrow('in use')
  const device = openSyncDevice(server.url, 'ada/s/chat', 's')
  onTestFinished(() => device.close())
  device.push('message')
  await device.stored()
})
