import { mkdtempSync, openAsBlob, rmSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { importFiles } from '../../src/files/import-files.ts'
import { chatGpt, chatSays, openStore, uuid } from './support/foreign-exports.ts'

/** Megabytes of the export that is made for this; the full size takes its time. */
const megabytes = Number(process.env['IMPORT_MEGABYTES'] ?? 32)
const allowed = 40 * 1024 * 1024

setFlagsFromString('--expose-gc')
const collect = runInNewContext('gc') as () => void

const directory = mkdtempSync(join(tmpdir(), 'keepsession-'))
const path = join(directory, 'conversations.json')
let conversations = 0

/** Conversations of about 100 kB, as ChatGPT writes them. */
function conversation(n: number): string {
  const text = `Paragraph ${n}. `.repeat(120)
  return JSON.stringify(
    chatGpt(
      uuid(n),
      Array.from({ length: 40 }, (_, i): [string, string | null, ReturnType<typeof chatSays>] => [
        `${n}-${i}`,
        i === 0 ? null : `${n}-${i - 1}`,
        chatSays(i, i % 2 ? 'assistant' : 'user', `${i} ${text}`),
      ]),
    ),
  )
}

beforeAll(async () => {
  const file = await open(path, 'w')
  await file.write('[')
  for (let bytes = 0; bytes < megabytes * 1024 * 1024; ) {
    conversations += 1
    bytes += (await file.write(`${conversations === 1 ? '' : ',\n'}${conversation(conversations)}`)).bytesWritten
  }
  await file.write(']')
  await file.close()
}, 600_000)

afterAll(() => rmSync(directory, { recursive: true }))

describe('an export that is larger than memory should be', () => {
  it('is read one conversation at a time', { timeout: 1_200_000 }, async () => {
    const blob = await openAsBlob(path)
    collect()
    const used = (): number => {
      const { heapUsed, external } = process.memoryUsage()
      return heapUsed + external
    }
    const before = used()
    let most = 0
    let measuredAt = 0
    // A dry run reads and lays out everything, and the store that would grow is not there to be counted.
    const report = await importFiles(openStore(), blob, {
      dryRun: true,
      onProgress: ({ readBytes }) => {
        if (readBytes - measuredAt < 8 * 1024 * 1024) return
        measuredAt = readBytes
        collect()
        most = Math.max(most, used() - before)
      },
    })
    expect(report.sessions).toHaveLength(conversations)
    expect(report.added).toBe(40 * conversations)
    expect(measuredAt).toBeGreaterThan(1.9 * blob.size)
    if (process.env['IMPORT_MEGABYTES'] !== undefined)
      console.log(`${megabytes} MB: ${Math.round(most / 1024 / 1024)} MB more memory at most`)
    expect(most).toBeLessThan(allowed)
  })
})
