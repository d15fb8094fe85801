import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { afterEach, beforeEach, expect, it, onTestFinished } from 'vitest'
import { openS3 } from '../../server/src/store/s3/open-s3.js'
import { startS3 } from '../support/s3-server.ts'

const digits = 'ab'.repeat(32)
let folder: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'sync-data-'))
})
afterEach(() => rm(folder, { recursive: true, force: true }))

/** Puts these contents under one hash, one after the other. @returns what is stored then */
async function stored(hash: string, contents: readonly string[], service = {}): Promise<string> {
  const s3 = await startS3(service)
  const { store, blobs } = await openS3(s3.options, () => {})
  onTestFinished(async () => {
    await store.close()
    await s3.close()
  })
  for (const content of contents) {
    const path = join(folder, 'upload')
    await writeFile(path, content)
    await blobs.put('ada', hash, path)
  }
  return text((await blobs.read('ada', hash))!.body)
}

it('keeps the sealed content that was stored first, and replaces other content, which has its hash', async () => {
  expect(await stored(`sealed-${digits}`, ['first', 'second'])).toBe('first')
  expect(await stored(digits, ['damaged', 'whole'])).toBe('whole')
})

it('stores sealed content in services that refuse conditions, too', async () => {
  expect(await stored(`sealed-${digits}`, ['first'], { refusesConditions: true })).toBe('first')
})
