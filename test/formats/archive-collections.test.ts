import { unzipSync, zipSync } from 'fflate'
import { describe, expect, it } from 'vitest'
import type { SessionStore } from '../../src/contract/store/session-store.ts'
import { importFiles } from '../../src/files/import-files.ts'
import { exportArchive } from '../../src/formats/export-archive.ts'
import { restoreArchive } from '../../src/formats/restore-archive.ts'
import { openStore } from './support/picoclaw-files.ts'

type Files = Record<string, Uint8Array<ArrayBuffer>>

async function archived(store: SessionStore, keys?: readonly string[]): Promise<Blob> {
  const parts: Uint8Array<ArrayBuffer>[] = []
  for await (const part of exportArchive(store, keys === undefined ? {} : { keys })) parts.push(part)
  return new Blob(parts)
}

const unzip = async (archive: Blob): Promise<Files> => unzipSync(new Uint8Array(await archive.arrayBuffer())) as Files
const zip = (files: Files): Blob => new Blob([zipSync(files) as Uint8Array<ArrayBuffer>])

const values = {
  list: [1, 'two', null],
  text: 'é🙂',
  nothing: null,
  bytes: new Uint8Array(3000).map((_, i) => i % 251),
  empty: new Uint8Array(),
}

async function filledStore(): Promise<SessionStore> {
  const store = openStore()
  await store.addMessage('s', 'user', 'hello')
  await store.writeRows(
    'settings',
    Object.entries(values).map(([key, value]) => ({ type: 'put', key, value })),
  )
  await store.writeRows(
    'a/b: "c"',
    Array.from({ length: 40 }, (_, i) => ({ type: 'put', key: `k${i}`, value: i })),
  )
  return store
}

const rowsOf = async (store: SessionStore): Promise<unknown> => [
  await store.listCollections(),
  (await store.listRows('settings')).rows,
  (await store.listRows('a/b: "c"')).rows,
]

describe('collections in an archive', () => {
  it('are restored as they were, and archived again as the same bytes', async () => {
    const store = await filledStore()
    const archive = await archived(store)
    const target = openStore()
    expect(await restoreArchive(target, archive)).toMatchObject({ rows: 45, skipped: [] })
    expect(await rowsOf(target)).toEqual(await rowsOf(store))
    expect(await restoreArchive(target, archive)).toMatchObject({ rows: 0, skipped: [] })
    expect(await unzip(await archived(target))).toEqual(await unzip(archive))
  })

  it('come with the files of an app, and a dry run stores nothing', async () => {
    const archive = await archived(await filledStore())
    const target = openStore()
    const source = [{ path: 'backup.zip', blob: archive }]
    expect((await importFiles(target, source, { dryRun: true })).skipped).toEqual([])
    expect(await target.listCollections()).toEqual([])
    expect((await importFiles(target, source)).skipped).toEqual([])
    expect(await target.getRows('settings', ['text'])).toEqual([values.text])
  })

  it('leave rows as they are that are here already', async () => {
    const archive = await archived(await filledStore())
    const target = openStore()
    await target.writeRows('settings', [{ type: 'put', key: 'text', value: 'newer' }])
    expect(await restoreArchive(target, archive)).toMatchObject({ rows: 44 })
    expect(await target.getRows('settings', ['text', 'list'])).toEqual(['newer', values.list])
  })

  it('are left out when sessions are named', async () => {
    expect(Object.keys(await unzip(await archived(await filledStore(), ['s'])))).toEqual([
      'sessions/s.jsonl',
      'manifest.json',
    ])
  })

  it('are restored without a manifest, each by itself', async () => {
    const { 'manifest.json': _, ...files } = await unzip(await archived(await filledStore()))
    const target = openStore()
    await restoreArchive(target, zip(files))
    expect(await rowsOf(target)).toEqual(await rowsOf(await filledStore()))
  })
})

const damages: readonly (readonly [name: string, change: (text: string) => string, reason: string])[] = [
  ['was changed', (text) => text.replace('two', 'too'), 'does not match the manifest'],
  ['lacks its end', (text) => text.slice(0, text.lastIndexOf('\n', text.length - 2) + 1), 'its end is missing'],
  ['lacks a row', (text) => text.replace(/\{"key":"nothing".*\n/, ''), 'says other than'],
  ['is no JSON', (text) => text.replace('{"key":"list"', '{key:'), 'is not JSON'],
  ['has another header', (text) => text.replace('"collection"', '"session"'), 'not the header of a collection'],
  ['has bytes that are none', (text) => text.replace('"bytes":"', '"bytes":"*'), 'not base64'],
  ['has an empty key', (text) => text.replace('"key":"list"', '"key":""'), 'no valid key'],
  ['goes on after its end', (text) => `${text}{"key":"more","value":1}\n`, 'comes after the end'],
]

it.each(damages)('reports a file of a collection that %s, and restores all others', async (_, change, reason) => {
  const files = await unzip(await archived(await filledStore()))
  const path = 'collections/settings.jsonl'
  files[path] = new TextEncoder().encode(change(new TextDecoder().decode(files[path])))
  const target = openStore()
  const { skipped } = await restoreArchive(target, zip(files))
  expect(skipped).toMatchObject([{ file: path, reason: expect.stringContaining(reason) }])
  expect((await target.listCollections()).map(({ name }) => name)).toEqual(['a/b: "c"'])
  expect(await target.getHistory('s')).toHaveLength(1)
})
