import type { link } from 'node:fs/promises'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { folderBlobs } from '../../server/src/blobs/folder-blobs.js'
import { placeFirst } from '../../server/src/blobs/place-first.js'

const digits = 'ab'.repeat(32)
let folder: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'sync-data-'))
})
afterEach(() => rm(folder, { recursive: true, force: true }))

async function upload(content: string): Promise<string> {
  const path = join(folder, `upload-${content}`)
  await writeFile(path, content)
  return path
}

it('keeps the sealed content that was stored first, also when two uploads of it end at once', async () => {
  const blobs = folderBlobs(folder)
  const hash = `sealed-${digits}`
  const stored = async () => text((await blobs.read('ada', hash))!.body)
  await blobs.put('ada', hash, await upload('first'))
  const others = await Promise.all(['second', 'third'].map(upload))
  await Promise.all(others.map((path) => blobs.put('ada', hash, path)))
  expect(await stored()).toBe('first')
})

it('replaces what a disk has damaged by content of the same hash', async () => {
  const blobs = folderBlobs(folder)
  await blobs.put('ada', digits, await upload('damaged'))
  await blobs.put('ada', digits, await upload('whole'))
  expect(await text((await blobs.read('ada', digits))!.body)).toBe('whole')
})

it('keeps the first content on a disk without hard links, too', async () => {
  const noLinks: typeof link = async () => {
    throw Object.assign(new Error('operation not permitted, link'), { code: 'EPERM' })
  }
  const target = join(folder, 'target')
  const all = await Promise.all(['first', 'second', 'third'].map(upload))
  await Promise.all(all.map((path) => placeFirst(path, target, noLinks)))
  expect(await readFile(target, 'utf8')).toBe('first')
  await expect(placeFirst(join(folder, 'none'), join(folder, 'other'), noLinks)).rejects.toThrow('ENOENT')
})
