import type { SyncCommand, SyncReply } from '../src/sync/sync-protocol.ts'

/** Asks the page for the access tokens of a transport. */
export interface TokenAsker {
  ask(): Promise<string>
  /** Takes the page's answer. */
  receive(answer: Extract<SyncCommand, { readonly keepsession: 'token' | 'no-token' }>): void
}

export function createTokenAsker(answer: (reply: SyncReply) => void): TokenAsker {
  const waiting = new Map<
    number,
    { readonly resolve: (token: string) => void; readonly reject: (error: Error) => void }
  >()
  let lastId = 0
  let asked: Promise<string> | undefined
  return {
    ask: () =>
      (asked ??= new Promise<string>((resolve, reject) => {
        waiting.set(++lastId, { resolve, reject })
        answer({ keepsession: 'ask-token', id: lastId })
      }).finally(() => (asked = undefined))),
    receive: (message) => {
      const asked = waiting.get(message.id)
      waiting.delete(message.id)
      if (message.keepsession === 'token') asked?.resolve(message.token)
      else asked?.reject(new Error(message.message))
    },
  }
}
