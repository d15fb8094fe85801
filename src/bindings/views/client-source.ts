import type { SessionClient } from '../../client/client-contract.ts'
import type { Message } from '../../contract/message.ts'

/** A client, or the promise of one. With `undefined`, views wait: on a server, or while there is no client yet. */
export type ClientSource<M extends object = Message> = SessionClient<M> | PromiseLike<SessionClient<M>> | undefined
