import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, expect, it, vi } from 'vitest'

const synced: string[] = []
let folder: string
let folderBlobs: typeof import('../../server/src/blobs/folder-blobs.js')['folderBlobs']
let openFolderStore: typeof import('../../server/src/store/folder/folder-store.js')['openFolderStore']
beforeAll(async () => {
  // What other files of this thread have loaded does not tell.
  vi.resetModules()
  // No test can cut the power.
  vi.doMock(import('../../server/src/store/folder/sync-folder.js'), async (original) => {
    const { syncFolder } = await original()
    return {
      async syncFolder(path) {
        await syncFolder(path)
        synced.push(relative(folder, path))
      },
    }
  })
  ;({ folderBlobs } = await import('../../server/src/blobs/folder-blobs.js'))
  ;({ openFolderStore } = await import('../../server/src/store/folder/folder-store.js'))
})
afterAll(() => {
  vi.doUnmock('../../server/src/store/folder/sync-folder.js')
  vi.resetModules()
})

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'sync-data-'))
  synced.length = 0
})
afterEach(() => rm(folder, { recursive: true, force: true }))

it('the first document of a namespace is acknowledged when the names of all folders above it are durable', async () => {
  const store = await openFolderStore(folder, () => {})
  const { log } = await store.open('ada/s/chat')
  await log.append(new Uint8Array([0, 0]))
  expect(new Set(synced)).toEqual(new Set(['', 'documents', join('documents', 'ada')]))
  await store.close()
})

it('the first blob of a namespace is stored when the names of all folders above it are durable', async () => {
  await writeFile(join(folder, 'upload'), 'content')
  await folderBlobs(folder).put('ada', 'ab12', join(folder, 'upload'))
  expect(new Set(synced)).toEqual(new Set(['', 'blobs', join('blobs', 'ada'), join('blobs', 'ada', 'ab')]))
})
