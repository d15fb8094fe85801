import type { WireError } from '../contract/worker-protocol.ts'
import type { SyncCalls, SyncPresence, SyncSnapshot } from '../sync/worker-protocol.ts'

/** What tabs of a device say to each other about their sync. */
export type SyncChannelMessage =
  /** Somebody new wants to know how it stands. */
  | { readonly sync: 'hello' }
  /** From whoever leads, again after every change. */
  | { readonly sync: 'snapshot'; readonly leader: string; readonly snapshot: SyncSnapshot }
  | { readonly sync: 'presence'; readonly leader: string; readonly presence: SyncPresence }
  /** Whoever leads asks what the others look at. Asked, because timers of hidden tabs sleep and messages arrive. */
  | { readonly sync: 'roll' }
  | { readonly sync: 'watching'; readonly tab: string; readonly keys: readonly string[] }
  | { readonly sync: 'typing'; readonly key: string; readonly isTyping: boolean }
  | { readonly sync: 'ask'; readonly id: string; readonly method: keyof SyncCalls }
  | { readonly sync: 'cancel'; readonly id: string }
  | { readonly sync: 'answer'; readonly id: string; readonly value: unknown }
  | { readonly sync: 'refusal'; readonly id: string; readonly error: WireError }

export interface SyncChannel {
  say(message: SyncChannelMessage): void
  hear(listener: (message: SyncChannelMessage) => void): void
  close(): void
}

/** Where tabs can't hear each other, each is alone. */
export function openSyncChannel(name: string): SyncChannel {
  let channel: (BroadcastChannel & { unref?: () => void }) | undefined
  try {
    channel = new BroadcastChannel(`keepsession:${name}:sync`)
    // In Node an open channel would keep the process alive.
    channel.unref?.()
  } catch {
    // Absent in old browsers, refused in opaque origins.
  }
  return {
    say: (message) => channel?.postMessage(message),
    hear: (listener) => {
      if (channel !== undefined) channel.onmessage = ({ data }: MessageEvent<SyncChannelMessage>) => listener(data)
    },
    close: () => {
      channel?.close()
      channel = undefined
    },
  }
}
