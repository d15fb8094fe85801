import * as Y from 'yjs'
import type { LinkStatus, SyncConnection, SyncLink } from '../../link.ts'
import { createLineLifetime } from '../line-lifetime.ts'
import { createOutbox } from '../outbox.ts'
import { createPollLoop } from './poll-loop.ts'
import { type ClockRange, type RelayFile, readRelayPath, relayFile, relayFolder } from './relay-file.ts'
import { createRelayReader } from './relay-reader.ts'
import type { RelayStore } from './relay-store.ts'
import { createRelayUpkeep } from './relay-upkeep.ts'

export interface RelayLineOptions {
  readonly link: SyncLink
  readonly store: RelayStore
  readonly pollMs: number
  readonly device: string
  /** Paths of this device's own files that were written or read whole since the program began. */
  readonly sound: Set<string>
  readonly onEnd: () => void
}

/** One document in a relay. */
export function openRelayLine({ link, store, pollMs, device, sound, onEnd }: RelayLineOptions): SyncConnection {
  const { name, doc } = link
  const folder = relayFolder(name)
  let received: Promise<void> = Promise.resolve()
  let isConnected = false

  const { isOver, end, close } = createLineLifetime({
    link,
    release: () => {
      polling.stop()
      outbox.close()
      upkeep.close()
      onEnd()
    },
  })
  const fail = (error: unknown): void => end(statusOf(error as Error))
  const reader = createRelayReader({
    doc,
    store,
    device,
    sound,
    receive: (update) => (received = link.receive(update, connection)),
    isOver,
  })
  const connection: SyncConnection = {
    ask: () => {
      reader.retryRefused()
      polling.hurry()
    },
    close: async () => {
      await close()
      // A failure was reported by the status.
      await received.catch(() => undefined)
    },
  }
  const put = async (update: Uint8Array): Promise<RelayFile> => {
    const file = relayFile(folder, device, update)
    await store.put(file.path, update as Uint8Array<ArrayBuffer>)
    reader.addOwn(file)
    return file
  }
  const outbox = createOutbox({
    doc,
    origin: connection,
    fail,
    send: async (update) => {
      if (isOver()) return
      await put(update).catch(fail)
      polling.again()
    },
  })
  const upkeep = createRelayUpkeep({ doc, store, put })

  const look = async (): Promise<void> => {
    const files = (await store.list(folder)).flatMap((path) => readRelayPath(folder, path) ?? [])
    if (isOver()) return
    if (!isConnected) link.status({ state: 'connected' })
    isConnected = true
    await reader.read(files)
    if (isOver()) return
    const own = files
      .filter((file) => file.device === device)
      .map((file) => ({ ...file, ranges: file.ranges ?? reader.rangesOf(file.path) }))
    // Before reporting what is there: an answer to a question that was asked after a deletion proves the deletion.
    const isErasing = await upkeep.erase(own)
    if (isOver()) return
    const vector = vectorOf(reader.held())
    outbox.peerHas(vector, true)
    link.peerHas(vector)
    await outbox.idle()
    // Look once more before anything is tidied, so that this is based on what is there.
    if (isOver() || polling.isHurried() || isErasing) return
    await upkeep.tidy(own)
  }
  const polling = createPollLoop({ everyMs: pollMs, look, onError: fail })

  // Statuses must come later than this returns.
  queueMicrotask(() => {
    if (isOver()) return
    link.status({ state: 'connecting' })
    polling.start()
  })
  return connection
}

function statusOf({ name, message }: Error): LinkStatus {
  const isDenied = name === 'NotAllowedError' || name === 'SecurityError' || name === 'AccessDenied'
  return { state: isDenied ? 'denied' : 'error', message }
}

/** How far each client goes without a gap. */
function vectorOf(ranges: readonly ClockRange[]): Uint8Array {
  const clocks = new Map<number, number>()
  for (const [client, from, to] of [...ranges].sort((a, b) => a[1] - b[1])) {
    const reached = clocks.get(client) ?? 0
    if (from <= reached) clocks.set(client, Math.max(reached, to))
  }
  return Y.encodeStateVector(clocks)
}
