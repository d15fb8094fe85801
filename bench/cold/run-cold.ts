import { fileURLToPath } from 'node:url'
import { bare, ours } from '../contender-names.ts'
import { count } from '../count.ts'
import { openProfile, serveBench } from '../launch-bench.ts'
import type { CaseResult, Effort, Sample } from '../sample.ts'
import { visitPages } from './visit-pages.ts'

const pages: Readonly<Record<string, string>> = { [ours]: 'ours.html', [bare]: 'raw.html' }
const inTurn = [ours, bare]

/**
 * From navigation to the last messages on the page, where nothing is warm: the first page of a browser that has just
 * started, and a later visit in the same browser.
 */
export async function runCold({ reps, isQuick }: Effort, say: (text: string) => void): Promise<CaseResult> {
  const size = isQuick ? 1000 : 100_000
  const served = await serveBench(fileURLToPath(new URL('./page', import.meta.url)), {
    pages: ['seed.html', ...Object.values(pages)],
  })
  const profile = await openProfile()
  const samples: Sample[] = []
  try {
    const seeding = await profile.start()
    const page = await seeding.newPage()
    await page.goto(`${served.url}seed.html`)
    await page.waitForFunction(() => 'seed' in globalThis)
    await page.evaluate((size) => (globalThis as unknown as { seed: (size: number) => Promise<void> }).seed(size), size)
    await seeding.close()
    say('seeded')
    for (let rep = -1; rep < reps; rep++) {
      for (const first of rep % 2 === 0 ? inTurn : [...inTurn].reverse()) {
        const order = [first, ...inTurn.filter((contender) => contender !== first)]
        const visits = [...order, ...order]
        const marks = await visitPages(
          profile.folder,
          visits.map((contender) => `${served.url}${pages[contender]}?size=${size}`),
        )
        for (const [round, contender] of visits.entries()) {
          // The other contender's first visit is neither: its page is new, its browser is not.
          if (rep < 0 || (round > 0 && contender !== first)) continue
          const { time, ...parts } = marks[round]!
          const group = `${count(size)} stored, ${round === 0 ? 'first page of a browser' : 'second visit'}`
          samples.push({ rep, group, contender, figures: { time, ...parts } })
        }
      }
      say(rep < 0 ? 'warm' : `repetition ${rep + 1} of ${reps}`)
    }
  } finally {
    await profile.remove()
    await served.close()
  }
  return {
    name: 'cold',
    title: 'From navigation to the last 50 messages',
    notes: [
      'Milliseconds since the navigation began. The bare page opens an IndexedDB and reads 50 rows; both pages are built by Vite and come from a server on the same machine, which lets everything be cached. Nothing is attached to the browser while they load.',
    ],
    unit: 'ms',
    samples,
  }
}
