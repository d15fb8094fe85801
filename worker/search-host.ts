import type { StoreChange } from '../src/contract/change.ts'
import { SessionError } from '../src/contract/errors.ts'
import type { OpenSearchMessage, SearchCommand, SearchReply } from '../src/contract/search.ts'
import type { ProtocolVersion } from '../src/contract/worker-protocol.ts'
import { isStoreChange } from '../src/domain/is-store-change.ts'
import { namesOf } from '../src/domain/names-of.ts'
import { drawBoot } from '../src/mirror/draw-boot.ts'
import { createSegmentSealing } from '../src/sealing/segment-sealing.ts'
import { openKeptSearch } from '../src/search/open-kept-search.ts'
import { openCoreBackend } from '../src/storage/indexeddb/core-backend.ts'
import { keyringAccess } from '../src/storage/indexeddb/keyring-access.ts'
import { openNatively } from '../src/storage/indexeddb/open-natively.ts'
import { placesReader } from '../src/storage/indexeddb/places-reader.ts'
import { holdLifeSign } from './life-sign.ts'
import { openSeal } from './open-seal.ts'
import { useBucket } from './use-bucket.ts'
import { toWireError } from './wire-error.ts'

const protocol: ProtocolVersion = 1

/** Searches the database of every page that asks, over the port that the page sends. Other messages are ignored. */
export function acceptSearches(scope: Pick<EventTarget, 'addEventListener'>): void {
  scope.addEventListener('message', (event) => {
    const { data, ports } = event as MessageEvent<Partial<OpenSearchMessage> | null>
    const [port] = ports
    if (port !== undefined && data?.keepsession === 'open-search') void serveSearch(port, data as OpenSearchMessage)
  })
}

/**
 * Searches alongside the page, as one more tab on the same database, which it only reads. The first answer is `ready`
 * or `failed`.
 */
async function serveSearch(
  port: MessagePort,
  { name, blockedAfterMs, encryption, bucket, protocol: spoken }: OpenSearchMessage,
): Promise<void> {
  const answer = (reply: SearchReply): void => port.postMessage(reply)
  try {
    if (spoken !== protocol) {
      throw new SessionError(
        'StorageUnavailable',
        `The page uses protocol ${spoken}, the search worker ${protocol}: they are of different releases. Serve both from one.`,
      )
    }
    await useBucket(bucket)
    const backend = await openCoreBackend(
      openNatively,
      { name, blockedAfterMs, canUnseal: encryption !== undefined },
      (connection) => ({ ...placesReader(connection), ...keyringAccess(connection) }),
    )
    const seal = await openSeal(backend, { name, encryption }, undefined, () => undefined)
    const search = openKeptSearch({
      name,
      source: seal.over(backend),
      epoch: backend.epoch,
      sealing: seal.keys && createSegmentSealing(seal.keys),
    })
    const channel = followStore(name, (change) => {
      // Another tab changed the keys, and the old ones can still open the new ones. If not, the next search gets the
      // error.
      if (change.type === 'notice' && change.name === 'keysChanged') seal.keys?.refresh().catch(() => undefined)
      search.receive(change)
    })
    const lifeSign = await holdLifeSign(`${namesOf(name)}:searcher:${drawBoot()}`)

    async function close(): Promise<void> {
      channel?.close()
      await search.close()
      await backend.close()
      answer({ keepsession: 'closed' })
      lifeSign.drop()
    }
    port.addEventListener('message', (event) => {
      const command = (event as MessageEvent<SearchCommand | null>).data
      if (command?.keepsession === 'ping') answer({ keepsession: 'pong' })
      else if (command?.keepsession === 'recheck') search.recheck()
      else if (command?.keepsession === 'close') void close()
      else if (command?.keepsession === 'search') {
        const { id, request } = command
        search
          .search(request, (progress) => answer({ keepsession: 'indexing', id, progress }))
          .then(
            (hits) => answer({ keepsession: 'hits', id, hits }),
            (error: unknown) => answer({ keepsession: 'error', id, error: toWireError(error) }),
          )
      } else command satisfies OpenSearchMessage | null
    })
    port.start()
    answer({ keepsession: 'ready', protocol, ...(lifeSign.lock === undefined ? {} : { lock: lifeSign.lock }) })
  } catch (error) {
    answer({ keepsession: 'failed', ...toWireError(error) })
  }
}

/**
 * Follows the changes of every store on this database. Where tabs can't reach each other, the page names the versions
 * that it knows.
 */
function followStore(name: string, onChange: (change: StoreChange) => void): BroadcastChannel | undefined {
  try {
    const channel = new BroadcastChannel(namesOf(name))
    channel.onmessage = ({ data }: MessageEvent<unknown>) => void (isStoreChange(data) && onChange(data))
    return channel
  } catch {
    return undefined
  }
}
