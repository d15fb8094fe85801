import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { dexie, file, ours, raw, rx, yIndexeddb } from '../contender-names.ts'
import { count } from '../count.ts'
import { openProfile, serveBench } from '../launch-bench.ts'
import type { CaseResult, Effort, Sample } from '../sample.ts'
import type { Fill } from './page/main.ts'

/** Where Chromium keeps databases and files of origins, in a profile. */
const places = ['Default/IndexedDB', 'Default/File System']

/** How many bytes each message takes on disk once the browser is closed, each contender in a profile of its own. */
export async function runDisk({ isQuick }: Effort, say: (text: string) => void): Promise<CaseResult> {
  const size = isQuick ? 1000 : 50_000
  const served = await serveBench(fileURLToPath(new URL('./page', import.meta.url)))
  const samples: Sample[] = []
  try {
    for (const contender of [ours, raw, dexie, rx, yIndexeddb, file]) {
      const profile = await openProfile()
      try {
        const browser = await profile.start()
        const page = await browser.newPage()
        await page.goto(served.url)
        await page.waitForFunction(() => 'fill' in globalThis)
        await page.evaluate(([contender, size]) => (globalThis as unknown as { fill: Fill }).fill(contender, size), [
          contender,
          size,
        ] as const)
        await browser.close()
        const bytes = await Promise.all(places.map((place) => bytesIn(join(profile.folder, place))))
        const total = bytes.reduce((sum, some) => sum + some, 0)
        samples.push({ rep: 0, group: `${count(size)} messages of 1 kB`, contender, figures: { each: total / size } })
        say(`${contender}: ${Math.round(total / size)} bytes each`)
      } finally {
        await profile.remove()
      }
    }
  } finally {
    await served.close()
  }
  return {
    name: 'disk',
    title: 'Bytes on disk for each message',
    notes: [
      'All files of the origin once the browser is closed, divided by the number of messages. keepsession keeps each message twice: in the database and in the journal. LevelDB compresses, files are not compressed.',
    ],
    unit: 'bytes',
    samples,
  }
}

async function bytesIn(folder: string): Promise<number> {
  let sum = 0
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => [])
  for (const entry of entries) if (entry.isFile()) sum += (await stat(join(entry.parentPath, entry.name))).size
  return sum
}
