import type { SessionClient } from '../../../src/client/client-contract.ts'
import type { Session } from '../../../src/client/session-contract.ts'

/** A client that counts what a component has opened and not closed again. */
export interface CountedClient {
  readonly client: SessionClient
  /** Lists, handles (whose transcripts end with them) and subscriptions that are open now. */
  open(): number
  /** How many were opened so far. */
  opened(): number
}

export function countedClient(client: SessionClient): CountedClient {
  let opened = 0
  let closed = 0
  /** A function that counts its first call as the end of what was opened. */
  const ending = <Given extends readonly unknown[], T>(end: (...given: Given) => T): ((...given: Given) => T) => {
    opened++
    let isOver = false
    return (...given) => {
      if (!isOver) closed++
      isOver = true
      return end(...given)
    }
  }
  // On top of the query itself, not a copy: a query that nothing refers to counts as forgotten.
  const countedQuery = <Query extends { close(): void }>(query: Query): Query =>
    Object.assign(Object.create(query), { close: ending(query.close) })
  const countedSession = (session: Session): Session => ({ ...session, close: ending(session.close) })
  return {
    client: {
      ...client,
      sessions: (query) => countedQuery(client.sessions(query)),
      session: (async (target: string) => countedSession(await client.session(target))) as SessionClient['session'],
      subscribe: (listener) => ending(client.subscribe(listener)),
    },
    open: () => opened - closed,
    opened: () => opened,
  }
}
