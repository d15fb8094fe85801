import { appendFile, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import * as Y from 'yjs'
import { openFolderLog } from '../../server/src/store/folder/folder-log.js'
import { openFolderStore } from '../../server/src/store/folder/folder-store.js'

let folder: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'folder-log-'))
})
afterEach(() => rm(folder, { recursive: true, force: true }))

const said: string[] = []
const say = (message: string) => void said.push(message)
const bytes = (length: number, fill: number) => new Uint8Array(length).fill(fill)
const open = () => openFolderLog(join(folder, 'log'), 'a/s/b', say)
const read = async () => {
  const { updates, log } = await open()
  await log.close()
  return updates.map((update) => [...update])
}

it('what was appended is there after it was opened again, in its order', async () => {
  const { log } = await open()
  await Promise.all([log.append(bytes(3, 1)), log.append(bytes(1, 2)), log.append(bytes(2, 3))])
  await log.append(bytes(1, 4))
  await log.close()
  expect(await read()).toEqual([[1, 1, 1], [2], [3, 3], [4]])
})

it('a write that was cut off at any byte costs that update alone, and the log goes on', async () => {
  const { log } = await open()
  await log.append(bytes(5, 1))
  const { size } = await stat(join(folder, 'log'))
  await log.append(bytes(9, 2))
  await log.close()
  const whole = await readFile(join(folder, 'log'))
  for (let end = size; end < whole.length; end++) {
    await writeFile(join(folder, 'log'), whole.subarray(0, end))
    const { updates, log } = await open()
    expect(updates.map((update) => [...update])).toEqual([[1, 1, 1, 1, 1]])
    await log.append(bytes(2, 3))
    await log.close()
    expect(await read()).toEqual([
      [1, 1, 1, 1, 1],
      [3, 3],
    ])
  }
  expect(await readdir(folder)).toEqual(['log'])
})

it('zeros that a power cut left at the end are cut off', async () => {
  const { log } = await open()
  await log.append(bytes(5, 1))
  await log.close()
  await appendFile(join(folder, 'log'), bytes(4096, 0))
  expect(await read()).toEqual([[1, 1, 1, 1, 1]])
  expect(await readdir(folder)).toEqual(['log'])
})

it('damage in the middle keeps what is before it, and the file as it was', async () => {
  const { log } = await open()
  for (let update = 1; update <= 3; update++) await log.append(bytes(5, update))
  await log.close()
  const whole = await readFile(join(folder, 'log'))
  await writeFile(join(folder, 'log'), new Uint8Array(whole).with(whole.lastIndexOf(2), 77))
  expect(await read()).toEqual([[1, 1, 1, 1, 1]])
  const copy = (await readdir(folder)).find((name) => name.startsWith('log.damaged-'))
  expect(await readFile(join(folder, copy ?? ''))).toHaveLength(whole.length)
  expect(said.at(-1)).toContain('a/s/b')
})

it('a log that grows is made into one state that says the same', async () => {
  const doc = new Y.Doc()
  const updates: Uint8Array[] = []
  doc.on('update', (update: Uint8Array) => updates.push(update))
  const array = doc.getArray(`w:${doc.clientID.toString(36)}`)
  const { log } = await open()
  for (let entry = 0; entry < 300; entry++) {
    array.push([['message', 'x'.repeat(1_000), entry]])
    if (entry >= 10) array.delete(0)
  }
  for (const update of updates) await log.append(update)
  expect(log.size).toBeLessThan(200_000)
  expect((await stat(join(folder, 'log'))).size).toBe(log.size)
  await log.close()
  const again = new Y.Doc()
  for (const update of (await open()).updates) Y.applyUpdate(again, update)
  expect(Buffer.from(Y.encodeStateAsUpdate(again)).equals(Y.encodeStateAsUpdate(doc))).toBe(true)
  expect(await readdir(folder)).toEqual(['log'])
})

it('a folder belongs to one server at a time, and is free after it closed', async () => {
  const store = await openFolderStore(folder, say)
  await expect(openFolderStore(folder, say)).rejects.toThrow('in use')
  await store.close()
  await (await openFolderStore(folder, say)).close()
})

it('a document that is closed and opened at once is one file all the same', async () => {
  const store = await openFolderStore(folder, say)
  for (let round = 0; round < 20; round++) {
    const { updates, log } = await store.open('a/s/b')
    expect(updates).toHaveLength(round)
    void log.append(bytes(3, round))
    void log.close()
  }
  await store.close()
})
