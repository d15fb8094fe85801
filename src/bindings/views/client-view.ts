import type { SessionClient } from '../../client/client-contract.ts'
import type { Message } from '../../contract/message.ts'
import { createView, type View } from './view.ts'

/** A client, or the promise of one. With `undefined`, views wait: on a server, or while there is no client yet. */
export type ClientSource<M extends object = Message> = SessionClient<M> | PromiseLike<SessionClient<M>> | undefined

/** How far a view is. */
export interface ViewStatus {
  /**
   * `loading` until there is a first answer, `ready` with the newest one, `error` when it could not be had. Then `error`
   * says why, and what was shown before stays.
   */
  readonly status: 'loading' | 'ready' | 'error'
  /** Usually a `SessionError`; `undefined` unless the status is `error`. */
  readonly error: unknown
}

/** What a view shows beside its status. */
export type Content<State extends ViewStatus> = Omit<State, keyof ViewStatus>

/** How a view hands on what it reads. */
export interface ViewOutput<State extends ViewStatus> {
  ready(content: Partial<Content<State>>): void
  fail(error: unknown): void
}

/**
 * Creates a view of what a client has.
 *
 * @param empty - what is shown while it loads
 * @param begin - reads and follows; returns a function that ends it
 */
export function clientView<Source, State extends ViewStatus>(
  source: PromiseLike<Source> | Source | undefined,
  empty: Content<State>,
  begin: (client: Source, output: ViewOutput<State>) => Promise<() => unknown> | (() => unknown),
): View<State> {
  return createView({ status: 'loading', error: undefined, ...empty } as State, (show) => {
    const fail = (error: unknown): void => show({ status: 'error', error } as Partial<State>)
    let isOver = false
    const begun = (async () => {
      const client = await source
      return client === undefined || isOver
        ? undefined
        : begin(client, {
            ready: (content) => show({ ...content, status: 'ready', error: undefined } as Partial<State>),
            fail,
          })
    })()
    begun.catch(fail)
    return () => {
      isOver = true
      // What failed has begun nothing, and was shown.
      begun.then(
        (end) => end?.(),
        () => undefined,
      )
    }
  })
}
