import type { SessionClient } from '../../client/client-contract.ts'
import type { Session, Transcript, TranscriptSnapshot } from '../../client/session-contract.ts'
import type { Message } from '../../contract/message.ts'
import { type ClientSource, clientView, type ViewStatus } from './client-view.ts'
import { followQuery } from './follow-query.ts'
import { untilOpen } from './until-open.ts'
import type { View } from './view.ts'

/** Which session is shown: its handle, key or alias. `undefined`: none yet. */
export type TranscriptTarget<M extends object = Message> = Session<M> | string | undefined

/** The newest part of a conversation, live. */
export interface TranscriptState<M extends object = Message> extends TranscriptSnapshot<M>, ViewStatus {
  /**
   * Adds this many older entries (default 100). Does nothing while no session is shown. As a handler of events, pass
   * `() => loadEarlier()`.
   *
   * @throws InvalidInput for anything but a whole number from 1 up
   */
  loadEarlier(count?: number): Promise<void>
}

/** @param source - finds a session by its key; not needed for a handle */
export function transcriptView<M extends object = Message>(
  source: ClientSource<M>,
  target: TranscriptTarget<M>,
  options?: { readonly last?: number },
): View<TranscriptState<M>> {
  let shown: Transcript<M> | undefined
  const isKey = typeof target === 'string'
  /** Where the handle comes from: a client, or the app, which will close it itself. */
  const from = isKey ? source : target && { session: async () => target, subscribe: () => () => undefined }
  return clientView<SessionClient<M>, TranscriptState<M>>(
    from as ClientSource<M>,
    {
      entries: [],
      drafts: [],
      more: false,
      meta: undefined,
      skipped: 0,
      resuming: [],
      loadEarlier: async (count) => shown?.loadEarlier(count),
    },
    (client, { ready, fail }) => {
      const open = async (): Promise<() => unknown> => {
        const session = await client.session(target as string)
        const own = (shown = session.transcript(options))
        const close = followQuery(own, ready, fail)
        return () => {
          // Another one may have been opened before this one was.
          if (shown === own) shown = undefined
          close()
          return isKey ? session.close() : undefined
        }
      }
      return untilOpen(client, open, fail)
    },
  )
}
