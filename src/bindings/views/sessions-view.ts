import type { Message } from '../../contract/message.ts'
import type { ListQuery, SessionPage } from '../../contract/store/session-metadata.ts'
import { type ClientSource, clientView, type ViewStatus } from './client-view.ts'
import { followQuery } from './follow-query.ts'
import type { View } from './view.ts'

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
  query?: ListQuery,
): View<SessionsState> {
  return clientView(source, { sessions: [], next: undefined, total: 0 }, (client, { ready, fail }) =>
    followQuery(client.sessions(query), ({ sessions, next, total }) => ready({ sessions, next, total }), fail),
  )
}
