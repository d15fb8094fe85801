import { openChannel } from '../worker/open-channel.ts'

/** Messages between tabs about which one leads. */
export type LeaderMessage =
  | {
      readonly keepsession: 'who-leads'
      readonly from: string
      readonly isVisible: boolean
      readonly hasLasting: boolean
    }
  /** Sent by the leader as an answer, and when it begins. The tab named by `heir` may become leader at once. */
  | {
      readonly keepsession: 'leader'
      readonly term: number
      readonly isVisible: boolean
      readonly hasLasting: boolean
      readonly heir?: string
    }
  /** The leader of this term stops leading. */
  | { readonly keepsession: 'no-leader'; readonly term: number }

export interface LeaderChannel {
  say(message: LeaderMessage): void
  /** Returns a function that unsubscribes. */
  subscribe(listener: (message: LeaderMessage) => void): () => void
  close(): void
}

/** `undefined` where there are no channels. */
export function openLeaderChannel(name: string): LeaderChannel | undefined {
  const channel = openChannel(name)
  if (channel === undefined) return undefined
  const listeners = new Set<(message: LeaderMessage) => void>()
  let isClosed = false
  channel.onmessage = ({ data }: MessageEvent<LeaderMessage>) => {
    for (const listener of [...listeners]) listener(data)
  }
  return {
    // A closed channel throws.
    say: (message) => void (isClosed || channel.postMessage(message)),
    subscribe: (listener) => {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
    close: () => {
      isClosed = true
      channel.close()
    },
  }
}
