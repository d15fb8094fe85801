/** What tabs say to each other about who leads. */
export type LeaderMessage =
  | {
      readonly keepsession: 'who-leads'
      readonly from: string
      readonly isVisible: boolean
      readonly hasLasting: boolean
    }
  /** The answer of whoever leads, and what it says when it begins. `heir` may take the office at once. */
  | {
      readonly keepsession: 'leader'
      readonly term: number
      readonly isVisible: boolean
      readonly hasLasting: boolean
      readonly heir?: string
    }
  /** The leader of this term leaves. */
  | { readonly keepsession: 'no-leader'; readonly term: number }

export interface LeaderChannel {
  say(message: LeaderMessage): void
  /** Returns how to stop hearing. */
  hear(listener: (message: LeaderMessage) => void): () => void
  close(): void
}

/** Absent in old browsers, refused in opaque origins. */
export function openLeaderChannel(name: string): LeaderChannel | undefined {
  try {
    const channel: BroadcastChannel & { unref?: () => void } = new BroadcastChannel(name)
    // In Node an open channel would keep the process alive.
    channel.unref?.()
    const listeners = new Set<(message: LeaderMessage) => void>()
    let isClosed = false
    channel.onmessage = ({ data }: MessageEvent<LeaderMessage>) => {
      for (const listener of [...listeners]) listener(data)
    }
    return {
      // A closed channel throws.
      say: (message) => void (isClosed || channel.postMessage(message)),
      hear: (listener) => {
        listeners.add(listener)
        return () => void listeners.delete(listener)
      },
      close: () => {
        isClosed = true
        channel.close()
      },
    }
  } catch {
    return undefined
  }
}
