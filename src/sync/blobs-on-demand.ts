import { type BlobExchange, type BlobExchangeOptions, holdMs, namesIn } from './blob-exchange.ts'
import { within } from './within.ts'

export type BlobsOnDemand = Omit<BlobExchange, 'unsent' | 'settled'>

const loadExchange = () => import('./create-blob-exchange.ts')

/** An exchange of blobs that is loaded when the first blob is named: most sessions name none. */
export function blobsOnDemand(options: BlobExchangeOptions, loadCode = loadExchange): BlobsOnDemand {
  const { before, onChange } = options
  let loaded: BlobExchange | undefined
  let loading: Promise<BlobExchange> | undefined
  /** The blobs that an earlier run left, and those that were named before the exchange is loaded. */
  const left = new Set<string>()
  const waiting = new Set<() => Promise<void>>()
  let isResting = false
  let isClosed = false

  const load = async (): Promise<BlobExchange> => {
    const exchange = (await loadCode()).createBlobExchange(options)
    if (isResting) exchange.pause()
    if (isClosed) exchange.close()
    return (loaded = exchange)
  }

  /** If the code cannot be loaded, the calls are kept for the next attempt. */
  const hand = async (
    named: () => readonly string[],
    act: (exchange: BlobExchange) => Promise<void> | void,
  ): Promise<void> => {
    if (loaded !== undefined) return act(loaded)
    const hashes = named()
    if (hashes.length === 0) return
    for (const hash of hashes) left.add(hash)
    const run = async (): Promise<void> => {
      let exchange: BlobExchange
      try {
        exchange = await (loading ??= load())
      } catch {
        loading = undefined
        return onChange()
      }
      if (waiting.delete(run)) await act(exchange)
    }
    waiting.add(run)
    await run()
  }

  return {
    send: (entries) =>
      within(
        holdMs,
        hand(
          () => namesIn(entries),
          (exchange) => exchange.send(entries),
        ),
      ),
    fetch: (entries) =>
      void hand(
        () => namesIn(entries),
        (exchange) => exchange.fetch(entries),
      ),
    retry: (hashes = []) => {
      isResting = false
      void hand(
        () => hashes,
        (exchange) => exchange.retry(hashes),
      )
      for (const run of [...waiting]) void run()
    },
    pause: () => {
      isResting = true
      loaded?.pause()
    },
    open: () => loaded?.open() ?? [...left],
    counts: () => loaded?.counts() ?? { sent: before?.sent ?? 0, received: before?.received ?? 0, missing: left.size },
    close: () => {
      isClosed = true
      loaded?.close()
    },
  }
}
