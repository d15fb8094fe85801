import { mkdir, mkdtemp, readdir, rm, stat, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { startSyncServer } from '../../server/index.js'
import { makeUploadFolder } from '../../server/src/blobs/make-upload-folder.js'
import { startS3 } from '../support/s3-server.ts'

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

it('where a database has the blobs, uploads are in a folder of the server’s own, which nobody else can read', async () => {
  const s3 = await startS3()
  const place = process.env['TMPDIR']
  process.env['TMPDIR'] = folder
  // Another user of the machine may have made what every server would use.
  await mkdir(join(folder, 'keepsession-uploads'))
  try {
    const servers = await Promise.all(
      [0, 1].map(() => startSyncServer({ port: 0, database: s3.options, secret: 's', say: () => {} })),
    )
    const own = (await readdir(folder)).filter((name) => name !== 'keepsession-uploads')
    expect(own).toHaveLength(2)
    for (const name of own) expect((await stat(join(folder, name))).mode & 0o077).toBe(0)
    await Promise.all(servers.map((server) => server.close()))
    expect(await readdir(folder)).toEqual(['keepsession-uploads'])
  } finally {
    if (place === undefined) delete process.env['TMPDIR']
    else process.env['TMPDIR'] = place
    await s3.close()
  }
})

it('of folders that servers left, those go that nobody has written to for a day', async () => {
  const [before, later] = [await makeUploadFolder(() => {}, folder), await makeUploadFolder(() => {}, folder)]
  const yesterday = new Date(Date.now() - 25 * 60 * 60 * 1000)
  await utimes(before, yesterday, yesterday)
  await mkdir(join(folder, 'of another program'))
  await utimes(join(folder, 'of another program'), yesterday, yesterday)
  const own = await makeUploadFolder(() => {}, folder)
  expect((await readdir(folder)).sort()).toEqual([basename(later), basename(own), 'of another program'].sort())
})
