import * as decoding from 'lib0/decoding'
import { messageYjsSyncStep1, messageYjsUpdate } from 'y-protocols/sync'
import type { LinkStatus, SyncConnection, SyncLink } from '../../link.ts'
import type { Outbox } from '../outbox.ts'
import { syncFrame } from './hocuspocus-frame.ts'
import { isTooLong, refusalStatus } from './refusal-status.ts'
import type { RefusedSizes } from './refused-sizes.ts'
import type { UnconfirmedUpdates } from './unconfirmed-updates.ts'

/** An update that holds nothing. */
const nothing = new Uint8Array([0, 0])

export interface LineHandlersOptions {
  readonly link: SyncLink
  readonly connection: SyncConnection
  readonly outbox: Outbox
  readonly unconfirmed: UnconfirmedUpdates
  /** What has come and is not in the document yet. */
  readonly arriving: Set<Uint8Array>
  readonly sizes: RefusedSizes
  /** Runs a task after those before it have ended. */
  readonly inTurn: (task: () => Promise<void> | void) => void
  /** The server has answered. */
  readonly onAnswer: () => void
  /** Everything that the server had is processed. */
  readonly answered: () => void
  readonly isOver: () => boolean
  /** Ends a document that the server has closed. */
  readonly end: (status: LinkStatus) => void
}

/** What to do for the frames of a server about one document. */
export interface LineHandlers {
  /** @param show - hands a frame on to the library */
  sync(decoder: decoding.Decoder, show: (frame: Uint8Array) => void): void
  /** The server has closed the document. */
  close(reason: string): void
  /** The server has stored an update, or refused to. */
  confirmation(isStored: boolean): void
}

export function lineHandlers(options: LineHandlersOptions): LineHandlers {
  const { link, connection, outbox, unconfirmed, arriving, sizes, inTurn, onAnswer, answered, isOver, end } = options
  return {
    sync: (decoder, show) => {
      const message = decoding.readVarUint(decoder)
      const payload = decoding.readVarUint8Array(decoder)
      if (message === messageYjsSyncStep1) {
        onAnswer()
        // Not in turn, because the answer belongs between the confirmations around it.
        outbox.peerHas(payload, unconfirmed.isEmpty())
        return inTurn(() => link.peerHas(payload))
      }
      // The library needs to see each frame, but never its content.
      const showEmpty = (): void => show(syncFrame(link.name, message, nothing))
      if (message === messageYjsUpdate && unconfirmed.takeEcho(payload)) return showEmpty()
      arriving.add(payload)
      inTurn(async () => {
        await link.receive(payload, connection)
        arriving.delete(payload)
        if (isOver()) return
        if (message !== messageYjsUpdate) {
          outbox.peerAnswered(payload)
          answered()
        }
        showEmpty()
      })
    },
    close: (reason) => {
      const longest = unconfirmed.longest()
      if (isTooLong(reason)) sizes.refuse(longest)
      const status = refusalStatus(reason, false, longest)
      inTurn(() => end(status))
    },
    confirmation: (isStored) => {
      unconfirmed.confirmOldest()
      if (isStored || isOver()) return
      // The user may not write any more: what is written from now on stays here.
      outbox.close()
      link.status({ state: 'readonly' })
    },
  }
}
