import type { Entry } from '../contract/entry.ts'
import { type BlobExchange, type BlobExchangeOptions, holdMs, namesIn } from './blob-exchange.ts'
import { within } from './within.ts'

export type BlobsOnDemand = Omit<BlobExchange, 'unsent' | 'settled'>

const loadExchange = () => import('./create-blob-exchange.ts')

/** Calls of an exchange that is loaded for the first of them. */
interface ExchangeLoader {
  loaded(): BlobExchange | undefined
  /** Calls it now, or once it is loaded. If it cannot be loaded, the call is kept for the next attempt. */
  call(act: (exchange: BlobExchange) => Promise<void> | void): Promise<void>
  /** Makes the calls that were kept. */
  retry(): void
}

interface ExchangeLoading {
  readonly load: () => Promise<BlobExchange>
  /** It is loaded, and was not called. */
  readonly onLoaded: (exchange: BlobExchange) => void
  readonly onFailed: () => void
}

function createExchangeLoader({ load, onLoaded, onFailed }: ExchangeLoading): ExchangeLoader {
  const waiting = new Set<() => Promise<void>>()
  let loaded: BlobExchange | undefined
  let loading: Promise<BlobExchange> | undefined
  const loadOnce = async (): Promise<BlobExchange> => {
    loaded = await load()
    onLoaded(loaded)
    return loaded
  }
  return {
    loaded: () => loaded,
    call: async (act) => {
      const run = async (): Promise<void> => {
        let exchange: BlobExchange
        try {
          exchange = await (loading ??= loadOnce())
        } catch {
          loading = undefined
          return onFailed()
        }
        if (waiting.delete(run)) await act(exchange)
      }
      waiting.add(run)
      await run()
    },
    retry: () => {
      for (const run of [...waiting]) void run()
    },
  }
}

/** An exchange of blobs that is loaded when the first blob is named: most sessions name none. */
export function blobsOnDemand(options: BlobExchangeOptions, loadCode = loadExchange): BlobsOnDemand {
  const { before, onChange } = options
  /** The blobs that an earlier run left, and those that were named before the exchange is loaded. */
  const left = new Set<string>()
  let isResting = false
  let isClosed = false

  const loader = createExchangeLoader({
    load: async () => (await loadCode()).createBlobExchange(options),
    onLoaded: (exchange) => {
      if (isResting) exchange.pause()
      if (isClosed) exchange.close()
    },
    onFailed: onChange,
  })
  const hand = async (
    named: () => readonly string[],
    act: (exchange: BlobExchange) => Promise<void> | void,
  ): Promise<void> => {
    const exchange = loader.loaded()
    if (exchange !== undefined) return act(exchange)
    const hashes = named()
    for (const hash of hashes) left.add(hash)
    if (hashes.length > 0) await loader.call(act)
  }

  const namesOf = (entries: readonly Entry[]) => (): readonly string[] => namesIn(entries)

  return {
    send: (entries) =>
      within(
        holdMs,
        hand(namesOf(entries), (exchange) => exchange.send(entries)),
      ),
    fetch: (entries) => void hand(namesOf(entries), (exchange) => exchange.fetch(entries)),
    retry: (hashes = []) => {
      isResting = false
      void hand(
        () => hashes,
        (exchange) => exchange.retry(hashes),
      )
      loader.retry()
    },
    doubt: () => loader.loaded()?.doubt(),
    pause: () => {
      isResting = true
      loader.loaded()?.pause()
    },
    open: () => loader.loaded()?.open() ?? [...left],
    counts: () =>
      loader.loaded()?.counts() ?? { sent: before?.sent ?? 0, received: before?.received ?? 0, missing: left.size },
    close: () => {
      isClosed = true
      loader.loaded()?.close()
    },
  }
}
