import { createSha256 } from '../domain/sha256.ts'
import { type BlobExchange, type BlobExchangeOptions, holdMs, namesIn } from './blob-exchange.ts'
import { createTurns } from './turns.ts'
import { within } from './within.ts'

/** Carried at once. */
const width = 4
/**
 * Waits before what failed is tried again while the connection lasts, in milliseconds: whoever has it may be sending it, and a full disk is given room one day. Each is
 * four times as long as the one before, as what is nowhere any more is asked for as well.
 */
const firstRetryMs = 5000
const longestRetryMs = 900_000
/** Tried again at once, those first that were tried least lately. */
const mostRetried = 100
/** Hashes that are kept for the next run: whoever names millions must not fill anything. */
const mostOpen = 10_000
/** Bytes hashed on end. */
const hashStep = 1 << 20

export function createBlobExchange({ store, blobs, namespace, before, onChange }: BlobExchangeOptions): BlobExchange {
  /** Both sides have these: in this run they are not looked at again. */
  const done = new Set<string>()
  const tasks = new Map<string, Promise<void>>()
  /** What is being looked for here, before it is known what is to be done: by the look, as one hash may be looked for twice. */
  const looks = new Map<Promise<void>, string>()
  const failed = new Map<string, 'send' | 'fetch'>()
  const turns = createTurns(width)
  let sent = before?.sent ?? 0
  let received = before?.received ?? 0
  let retries = 0
  let timer: ReturnType<typeof setTimeout> | undefined
  let isResting = false
  let isClosed = false

  const inTurn = async (task: () => Promise<void>): Promise<void> => {
    const giveBack = await turns.take()
    try {
      if (!isClosed) await task()
    } finally {
      giveBack()
    }
  }

  const put = async (hash: string, bytes: Blob): Promise<void> => {
    if (blobs === undefined) throw new Error('nothing carries it')
    // From an earlier run, or from another device.
    if (await blobs.hasBlob(namespace, hash)) return
    await blobs.putBlob(namespace, hash, bytes)
    sent += 1
  }

  const get = async (hash: string): Promise<void> => {
    const bytes = await blobs?.getBlob(namespace, hash)
    if (bytes === undefined || (await hashOf(bytes)) !== hash) throw new Error('it is not there')
    await store.putBlob(bytes)
    received += 1
  }

  const begin = (hash: string, act: 'send' | 'fetch', task: () => Promise<void>): Promise<void> => {
    const under = tasks.get(hash)
    if (under !== undefined) return under
    const run = inTurn(task)
      .then(
        () => {
          done.add(hash)
          // The others may come through as well.
          if (failed.delete(hash)) retries = 0
        },
        () => {
          failed.delete(hash)
          failed.set(hash, act)
        },
      )
      .finally(() => {
        tasks.delete(hash)
        if (isClosed) return
        if (tasks.size === 0) plan()
        onChange()
      })
    tasks.set(hash, run)
    return run
  }

  /** @returns the sending, when it is one */
  const carry = (hash: string, isOurs: boolean): Promise<void> => {
    if (done.has(hash) || isClosed) return Promise.resolve()
    const run = look(hash, isOurs).finally(() => looks.delete(run))
    looks.set(run, hash)
    return run
  }

  const look = async (hash: string, isOurs: boolean): Promise<void> => {
    // Bytes that can't be read any more are as good as gone: the other side may have them whole.
    const here = await store.getBlob(hash).catch(() => undefined)
    if (here === undefined) void begin(hash, 'fetch', () => get(hash))
    else if (isOurs || failed.has(hash)) await begin(hash, 'send', () => put(hash, here))
  }

  const plan = (): void => {
    if (failed.size === 0 || blobs === undefined || isResting) return
    clearTimeout(timer)
    timer = setTimeout(() => {
      retries += 1
      again([...failed.keys()].slice(0, mostRetried))
    }, Math.min(firstRetryMs * 4 ** retries, longestRetryMs))
  }

  const again = (hashes: readonly string[]): void => {
    for (const hash of hashes) void carry(hash, true)
  }

  return {
    send: async (entries) => {
      await within(holdMs, Promise.all(namesIn(entries).map((hash) => carry(hash, true))))
    },
    fetch: (entries) => {
      for (const hash of namesIn(entries)) void carry(hash, false)
    },
    retry: (hashes = []) => {
      isResting = false
      retries = 0
      again([...new Set([...failed.keys(), ...hashes])])
    },
    rest: () => {
      isResting = true
      clearTimeout(timer)
    },
    open: () => [...new Set([...failed.keys(), ...tasks.keys(), ...looks.values()])].slice(0, mostOpen),
    unsent: () => [...failed.values()].filter((act) => act === 'send').length,
    counts: () => ({ sent, received, missing: failed.size }),
    settled: async () => {
      while (tasks.size + looks.size > 0) await Promise.all([...tasks.values(), ...looks.keys()])
    },
    close: () => {
      isClosed = true
      clearTimeout(timer)
    },
  }
}

async function hashOf(bytes: Blob): Promise<string> {
  const digest = createSha256()
  for (let from = 0; from < bytes.size; from += hashStep) digest.update(new Uint8Array(await bytes.slice(from, from + hashStep).arrayBuffer()))
  return digest.hex()
}
