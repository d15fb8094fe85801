import type { SyncCommand, SyncReply } from '../src/sync/sync-protocol.ts'

/** Asks the page for the access tokens of a transport. */
export interface TokenAsker {
  ask(): Promise<string>
  /** Takes the page's answer. */
  receive(answer: Extract<SyncCommand, { readonly keepsession: 'token' | 'no-token' }>): void
}

/** How long a question is shared, in milliseconds: the page may never answer it, and whoever asks then tries again. */
const sharedMs = 1000

export function createTokenAsker(answer: (reply: SyncReply) => void): TokenAsker {
  const waiting = new Map<
    number,
    { readonly resolve: (token: string) => void; readonly reject: (error: Error) => void }
  >()
  let lastId = 0
  let asked: Promise<string> | undefined
  return {
    ask: () => {
      if (asked !== undefined) return asked
      const question = new Promise<string>((resolve, reject) => {
        waiting.set(++lastId, { resolve, reject })
        answer({ keepsession: 'ask-token', id: lastId })
      })
      asked = question
      const end = (): void => {
        clearTimeout(timer)
        if (asked === question) asked = undefined
      }
      const timer = setTimeout(end, sharedMs)
      question.then(end, end)
      return question
    },
    receive: (message) => {
      const asked = waiting.get(message.id)
      waiting.delete(message.id)
      if (message.keepsession === 'token') asked?.resolve(message.token)
      else asked?.reject(new Error(message.message))
    },
  }
}
