import type { LinkStatus, SyncConnection, SyncLink } from '../../link.ts'
import { createDocumentLine } from '../document-line.ts'
import { createOutbox } from '../outbox.ts'
import { createPollLoop } from './poll-loop.ts'
import { type RelayFile, relayFile, relayFolder } from './relay-file.ts'
import { lookIntoRelay } from './relay-look.ts'
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
  const line = createDocumentLine(link)
  const polling = createPollLoop(pollMs)
  const reader = createRelayReader({
    doc,
    store,
    device,
    sound,
    receive: (update) => line.inTurn(() => link.receive(update, line.connection)),
    isOver: line.isOver,
  })
  const put = async (update: Uint8Array): Promise<RelayFile> => {
    const file = relayFile(relayFolder(name), device, update)
    await store.put(file.path, update as Uint8Array<ArrayBuffer>)
    reader.addOwn(file)
    return file
  }
  const fail = (error: unknown): void => line.end(statusOf(error as Error))
  const outbox = createOutbox({
    doc,
    origin: line.connection,
    fail,
    send: async (update) => {
      if (line.isOver()) return
      await put(update).catch(fail)
      polling.again()
    },
  })
  const upkeep = createRelayUpkeep({ doc, store, put })
  const parts = { link, store, device, line, reader, outbox, upkeep, polling }
  line.begin({
    connect: () => void polling.run(() => lookIntoRelay(parts)).catch(fail),
    ask: (done) => {
      reader.retryRefused()
      polling.hurry()
      done()
    },
    release: () => {
      polling.stop()
      outbox.close()
      upkeep.close()
      onEnd()
    },
  })
  return line.connection
}

function statusOf({ name, message }: Error): LinkStatus {
  const isDenied = name === 'NotAllowedError' || name === 'SecurityError' || name === 'AccessDenied'
  return { state: isDenied ? 'denied' : 'error', message }
}
