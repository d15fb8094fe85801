import type { WireError } from '../contract/worker-protocol.ts'
import type { RotationProgress } from '../sync/encryption/rotate-keys.ts'
import type { SyncCall, SyncPresence } from '../sync/sync-protocol.ts'
import type { ToldSnapshot } from './told-snapshots.ts'

/** A call on its way to another tab, which finds the keys of `changeKeys` by their loan. */
export type SentCall = Exclude<SyncCall, readonly ['changeKeys', ...unknown[]]> | readonly ['changeKeys', loan: string]

/** What is asked of whoever leads, and what comes of it. */
export type CallMessage =
  | { readonly sync: 'ask'; readonly id: string; readonly call: SentCall }
  | { readonly sync: 'cancel'; readonly id: string }
  | { readonly sync: 'progress'; readonly id: string; readonly progress: RotationProgress }
  | { readonly sync: 'answer'; readonly id: string; readonly value: unknown }
  | { readonly sync: 'refusal'; readonly id: string; readonly error: WireError }

/** The user signs out: all tabs end, and the one that did sync says when it has. */
export type SignOutMessage = { readonly sync: 'sign-out'; readonly closesStore: boolean } | { readonly sync: 'signed-out'; readonly leader: string }

/** What tabs of a device say to each other about their sync. */
export type SyncChannelMessage =
  /** Somebody new wants to know how it stands. */
  | { readonly sync: 'hello' }
  /** From whoever leads, again after every change. `leader` is another one with each engine that it starts, absent while it has none. `isPaused` is what was asked for: the state may be an error. */
  | { readonly sync: 'snapshot'; readonly leader: string | undefined; readonly device: string; readonly isPaused: boolean; readonly told: ToldSnapshot }
  | { readonly sync: 'presence'; readonly leader: string; readonly presence: SyncPresence }
  /** Whoever leads asks what the others look at. Asked, because timers of hidden tabs sleep and messages arrive. */
  | { readonly sync: 'roll' }
  | { readonly sync: 'watching'; readonly tab: string; readonly keys: readonly string[] }
  | { readonly sync: 'typing'; readonly key: string; readonly isTyping: boolean }
  | SignOutMessage
  | CallMessage

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
