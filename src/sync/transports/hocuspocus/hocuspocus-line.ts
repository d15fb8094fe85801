import type { HocuspocusProviderWebsocket } from '@hocuspocus/provider'
import { messageYjsSyncStep1, messageYjsUpdate } from 'y-protocols/sync'
import type { LinkStatus, SyncConnection, SyncLink } from '../../link.ts'
import { createDocumentLine } from '../document-line.ts'
import { createOutbox } from '../outbox.ts'
import type { SocketGate } from '../socket-gate.ts'
import { createArrivingUpdates } from './arriving-updates.ts'
import { createDocumentProvider } from './document-provider.ts'
import { awarenessFrame, syncFrame } from './hocuspocus-frame.ts'
import { type HocuspocusIncoming, hocuspocusIncoming } from './hocuspocus-incoming.ts'
import { refusalStatus } from './refusal-status.ts'
import type { RefusedSizes } from './refused-sizes.ts'
import { createUnconfirmedUpdates } from './unconfirmed-updates.ts'

export interface HocuspocusLineOptions {
  readonly link: SyncLink
  readonly token: () => Promise<string> | string
  readonly gate: SocketGate
  readonly provider: HocuspocusProviderWebsocket
  /** How long the token may take, and then the server for its first answer, in milliseconds. */
  readonly patience: number
  readonly sizes: RefusedSizes
  /** Resolves when the document may be opened, with what gives the turn back once it is open. */
  readonly turn: () => Promise<() => void>
  /** Called once. `mustLeave`: the server considers the document open until it has confirmed the end. */
  readonly onEnd: (mustLeave: boolean) => void
}

/** One document on a connection. */
export interface HocuspocusLine {
  readonly connection: SyncConnection
  readonly incoming: HocuspocusIncoming
  /** Length of the longest update that was sent and not confirmed, in bytes. */
  longestUnconfirmed(): number
  isConnected(): boolean
  end(status: LinkStatus): void
}

export function openHocuspocusLine(options: HocuspocusLineOptions): HocuspocusLine {
  const { link, gate, provider: socket, patience, sizes, onEnd } = options
  const { name, doc } = link
  const line = createDocumentLine(link)
  const unconfirmed = createUnconfirmedUpdates((update) => gate.send(syncFrame(name, messageYjsUpdate, update)))
  const arriving = createArrivingUpdates(doc)
  const outbox = createOutbox({
    doc,
    origin: line.connection,
    fail: line.fail,
    send: async (update) => {
      if (!sizes.isRefused(update.length)) return unconfirmed.add(update)
      // First take in what the others wrote.
      await arriving.whole
      line.end(tooLong(update.length))
    },
  })
  const opening = createDocumentProvider({
    ...options,
    name,
    doc,
    socket,
    // Also for the document that comes next: a token that never arrives must not hold its turn.
    onWait: () => line.send({ type: 'waiting', ms: patience }),
    onOpen: (isReadonly) => line.send({ type: 'reached', isReadonly }),
    onDenied: (reason) => line.end(refusalStatus(reason, !line.isReached(), 0), false),
    onTokenError: ({ message }) =>
      line.end({ state: 'error', message: `the token could not be loaded: ${message}` }, false),
  })
  line.begin({
    connect: () => void opening.open(),
    publish: (update) => gate.send(awarenessFrame(name, update)),
    // Also once everything is confirmed, because the answer repeats everything that arrived in the meantime.
    ask: async (done) => {
      await outbox.idle()
      await unconfirmed.allConfirmed()
      done()
      if (line.isReached()) gate.send(syncFrame(name, messageYjsSyncStep1, arriving.vector()))
    },
    stopWriting: outbox.close,
    release: (mustLeave) => {
      outbox.close()
      unconfirmed.close()
      arriving.finish()
      const isKnown = mustLeave && opening.hasSpoken()
      opening.close(!isKnown)
      onEnd(isKnown)
    },
  })
  return {
    connection: line.connection,
    incoming: hocuspocusIncoming({ link, line, outbox, unconfirmed, arriving, sizes }),
    longestUnconfirmed: unconfirmed.longest,
    isConnected: line.isReached,
    end: line.end,
  }
}

const tooLong = (bytes: number): LinkStatus => ({
  state: 'oversized',
  message: `an entry is too long for the server, which takes no message of ${bytes} bytes`,
})
