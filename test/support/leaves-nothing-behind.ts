// Fails a file that leaves anything behind, in Node and in pages. Files have realms of their own and would not notice,
// but what a test forgets to end, an app would have to end as well; and it can reach its own next test.
import { afterAll, beforeAll, vi } from 'vitest'
import { watchChannels } from './leftovers/watch-channels.ts'
import { databasesToBeFound } from './leftovers/watch-databases.ts'
import { type Leftovers, watchGlobals } from './leftovers/watch-globals.ts'
import { locksLeft, locksOfOthers } from './leftovers/watch-locks.ts'
import { watchTimers } from './leftovers/watch-timers.ts'

/** How long what was ended may take to be over, in milliseconds. */
const grace = 2_000
const { setTimeout } = globalThis

const watches: Leftovers[] = [watchTimers(), watchChannels()]
if (typeof process !== 'undefined' && typeof process.getActiveResourcesInfo === 'function')
  watches.push((await import('./leftovers/watch-process.ts')).watchProcess())
// Last: the others put something in place of globals themselves.
watches.push(watchGlobals())

let [locks, databases]: ReadonlySet<string>[] = []
beforeAll(async () => void ([locks, databases] = await Promise.all([locksOfOthers(), databasesToBeFound()])))

const databasesLeft = async (): Promise<string[]> =>
  [...(await databasesToBeFound())].filter((name) => !databases!.has(name)).map((name) => `the database "${name}"`)

afterAll(async () => {
  const isFaked = vi.isFakeTimers()
  vi.useRealTimers()
  const left = async (): Promise<string[]> => [
    ...(isFaked ? ['a fake clock'] : []),
    ...watches.flatMap((watch) => watch()),
    ...(await locksLeft(locks!)),
    ...(await databasesLeft()),
  ]
  const end = performance.now() + grace
  while ((await left()).length > 0 && performance.now() < end) await new Promise((resolve) => setTimeout(resolve, 20))
  const names = await left()
  if (names.length > 0) throw new Error(`This file leaves behind:\n${names.map((name) => `- ${name}`).join('\n')}`)
})
