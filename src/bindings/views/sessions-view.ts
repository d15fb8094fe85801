import type { Message } from '../../contract/message.ts'
import type { ListQuery, SessionPage } from '../../contract/store/session-metadata.ts'
import type { ClientSource } from './client-source.ts'
import { followQuery } from './follow-query.ts'
import { createView, type View } from './view.ts'
import { failed, LOADING, READY, type ViewStatus } from './view-status.ts'

/** The list of sessions, live. */
export interface SessionsState extends ViewStatus {
  readonly sessions: SessionPage['sessions']
  /** Cursor of the next page; `undefined` on the last. */
  readonly next: string | undefined
  /** How many sessions match in all. */
  readonly total: number
}

export function sessionsView<M extends object = Message>(
  source: ClientSource<M>,
  query: ListQuery = {},
): View<SessionsState> {
  return createView<SessionsState>({ ...LOADING, sessions: [], next: undefined, total: 0 }, (show) => {
    if (source === undefined) return () => undefined
    return followQuery(
      Promise.resolve(source).then((client) => client.sessions(query)),
      ({ sessions, next, total }) => show({ ...READY, sessions, next, total }),
      (error) => show(failed(error)),
    )
  })
}
