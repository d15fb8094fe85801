import { createBlobCopier } from './blob-copier.ts'
import { type BlobExchange, type BlobExchangeOptions, holdMs, namesIn } from './blob-exchange.ts'
import { createBlobLookups } from './blob-lookups.ts'
import { createBlobTasks } from './blob-tasks.ts'
import { createRetrySchedule } from './retry-schedule.ts'
import { within } from './within.ts'

/**
 * Waits in milliseconds. The device that has a blob may still be sending it, and a full disk gets room some day. The
 * waits grow quickly, because blobs that exist nowhere any more are asked for as well.
 */
const firstRetryMs = 5000
const longestRetryMs = 900_000
/** How many are retried at once, starting with the ones whose last attempt is longest ago. */
const mostRetried = 100
/** Hashes that are saved for the next run: an entry that names millions of blobs must not fill the storage. */
const mostOpen = 10_000

export function createBlobExchange(options: BlobExchangeOptions): BlobExchange {
  const { store, blobs, onChange } = options
  const copier = createBlobCopier(options)
  const tasks = createBlobTasks()
  const lookups = createBlobLookups({ store, copier, tasks })
  const retryAll = (hashes: readonly string[]): void => {
    for (const hash of hashes) void lookups.carry(hash, true)
  }
  const schedule = createRetrySchedule({
    firstMs: firstRetryMs,
    longestMs: longestRetryMs,
    onTime: () => retryAll([...tasks.failed().keys()].slice(0, mostRetried)),
  })
  tasks.reportTo({
    onRecovered: schedule.reset,
    onEnd: () => {
      if (tasks.running().size === 0 && tasks.failed().size > 0 && blobs !== undefined) schedule.plan()
      onChange()
    },
  })

  return {
    send: async (entries) => {
      await within(holdMs, Promise.all(namesIn(entries).map((hash) => lookups.carry(hash, true))))
    },
    fetch: (entries) => {
      for (const hash of namesIn(entries)) void lookups.carry(hash, false)
    },
    retry: (hashes = []) => {
      schedule.resume()
      retryAll([...new Set([...tasks.failed().keys(), ...hashes])])
    },
    doubt: tasks.doubt,
    pause: schedule.pause,
    open: () =>
      [...new Set([...tasks.failed().keys(), ...tasks.running().keys(), ...lookups.running().values()])].slice(
        0,
        mostOpen,
      ),
    unsent: () => [...tasks.failed().values()].filter((act) => act === 'send').length,
    counts: () => ({ ...copier.counts(), missing: tasks.failed().size }),
    settled: async () => {
      while (tasks.running().size + lookups.running().size > 0)
        await Promise.all([...tasks.running().values(), ...lookups.running().keys()])
    },
    close: () => {
      tasks.close()
      schedule.close()
    },
  }
}
