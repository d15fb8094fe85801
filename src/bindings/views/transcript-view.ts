import type { Session, Transcript, TranscriptSnapshot } from '../../client/session-contract.ts'
import type { Message } from '../../contract/message.ts'
import type { ClientSource } from './client-source.ts'
import { followQuery } from './follow-query.ts'
import { createView, type View } from './view.ts'
import { failed, LOADING, READY, type ViewStatus } from './view-status.ts'

/** Which session is shown: its handle, key or alias. `undefined`: none yet. */
export type TranscriptTarget<M extends object = Message> = Session<M> | string | undefined

/** The newest part of a conversation, live. */
export interface TranscriptState<M extends object = Message> extends TranscriptSnapshot<M>, ViewStatus {
  /** Adds this many older entries (default 100). Does nothing while no session is shown. */
  loadEarlier(count?: number): Promise<void>
}

/** @param source - finds a session by its key; not needed for a handle */
export function transcriptView<M extends object = Message>(
  source: ClientSource<M>,
  target: TranscriptTarget<M>,
  options: { readonly last?: number } = {},
): View<TranscriptState<M>> {
  let shown: Promise<Transcript<M>> | undefined

  const initial: TranscriptState<M> = {
    ...LOADING,
    entries: [],
    drafts: [],
    more: false,
    meta: undefined,
    skipped: 0,
    loadEarlier: async (count) => (await shown)?.loadEarlier(count),
  }
  return createView(initial, (show) => {
    if (target === undefined || (source === undefined && typeof target === 'string')) return () => undefined
    let own: Session<M> | undefined
    const open = async (): Promise<Transcript<M>> => {
      if (typeof target === 'object') return target.transcript(options)
      own = await (await source)!.session(target)
      return own.transcript(options)
    }
    shown = open()
    const close = followQuery(
      shown,
      (snapshot) => show({ ...snapshot, ...READY }),
      (error) => show(failed(error)),
      () => own?.close(),
    )
    return () => {
      shown = undefined
      close()
    }
  })
}
