import { mkdir, mkdtemp, readdir, rm, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { startSyncServer } from '../../server/index.js'
import { clearUploads } from '../../server/src/blobs/clear-uploads.js'

let folder: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'sync-data-'))
})
afterEach(() => rm(folder, { recursive: true, force: true }))

it('what uploads left behind when the server was killed is gone at its next start', async () => {
  await mkdir(join(folder, 'uploads'))
  await writeFile(join(folder, 'uploads', 'half'), 'half')
  const server = await startSyncServer({ port: 0, data: folder, secret: 's', say: () => {} })
  expect(await readdir(join(folder, 'uploads'))).toEqual([])
  await server.close()
})

it('a server that is refused takes nothing from the uploads of the one that runs', async () => {
  const server = await startSyncServer({ port: 0, data: folder, secret: 's', say: () => {} })
  await mkdir(join(folder, 'uploads'))
  await writeFile(join(folder, 'uploads', 'half'), 'half')
  await expect(startSyncServer({ port: 0, data: folder, secret: 's', say: () => {} })).rejects.toThrow('in use')
  expect(await readdir(join(folder, 'uploads'))).toEqual(['half'])
  await server.close()
})

it('of a folder that servers share, only what nobody has written to for a day goes', async () => {
  await writeFile(join(folder, 'old'), 'half')
  await writeFile(join(folder, 'new'), 'half')
  const before = new Date(Date.now() - 25 * 60 * 60 * 1000)
  await utimes(join(folder, 'old'), before, before)
  await clearUploads(folder, { shared: true }, () => {})
  expect(await readdir(folder)).toEqual(['new'])
})
