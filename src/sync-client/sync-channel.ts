import type { WireError } from '../contract/worker-protocol.ts'
import { namesOf } from '../domain/names-of.ts'
import type { RotationProgress } from '../sync/encryption/rotate-keys.ts'
import type { SyncCall, SyncPresence } from '../sync/sync-protocol.ts'
import type { SnapshotMessage } from './snapshot-messages.ts'

/** A call on its way to another tab, which finds the keys of `changeKeys` by the id of their loan. */
export type SentCall = Exclude<SyncCall, readonly ['changeKeys', ...unknown[]]> | readonly ['changeKeys', loan: string]

/** Calls to the tab that leads, and their answers. */
export type CallMessage =
  | { readonly sync: 'ask'; readonly id: string; readonly call: SentCall }
  | { readonly sync: 'cancel'; readonly id: string }
  | { readonly sync: 'progress'; readonly id: string; readonly progress: RotationProgress }
  | { readonly sync: 'answer'; readonly id: string; readonly value: unknown }
  | { readonly sync: 'refusal'; readonly id: string; readonly error: WireError }

/** The user signs out: all tabs end, and the tab that synced announces when it has ended. */
export type SignOutMessage =
  | { readonly sync: 'sign-out'; readonly closesStore: boolean }
  | { readonly sync: 'signed-out'; readonly leader: string }

/** What the tabs of a device send each other about their sync. */
export type SyncChannelMessage =
  /** A new tab asks for the snapshot. */
  | { readonly sync: 'hello' }
  /**
   * From the tab that leads, again after every change. `leader` changes with each engine that it starts, and is absent
   * while it has none. `isPaused` is what was asked for, as the state may be an error.
   */
  | {
      readonly sync: 'snapshot'
      readonly leader: string | undefined
      readonly device: string
      readonly isPaused: boolean
      readonly content: SnapshotMessage
    }
  | { readonly sync: 'presence'; readonly leader: string; readonly presence: SyncPresence }
  /**
   * The tab that leads asks what the others look at. It has to ask, because timers of hidden tabs sleep while messages
   * arrive.
   */
  | { readonly sync: 'roll' }
  | { readonly sync: 'watching'; readonly tab: string; readonly keys: readonly string[] }
  | { readonly sync: 'typing'; readonly key: string; readonly isTyping: boolean }
  | SignOutMessage
  | CallMessage

export interface SyncChannel {
  post(message: SyncChannelMessage): void
  listen(listener: (message: SyncChannelMessage) => void): void
  close(): void
}

/** Where tabs cannot reach each other, each one is isolated. */
export function openSyncChannel(name: string): SyncChannel {
  let channel: (BroadcastChannel & { unref?: () => void }) | undefined
  try {
    channel = new BroadcastChannel(`${namesOf(name)}:sync`)
    // In Node an open channel would keep the process alive.
    channel.unref?.()
  } catch {
    // Absent in old browsers, refused in opaque origins.
  }
  return {
    post: (message) => channel?.postMessage(message),
    listen: (listener) => {
      if (channel !== undefined) channel.onmessage = ({ data }: MessageEvent<SyncChannelMessage>) => listener(data)
    },
    close: () => {
      channel?.close()
      channel = undefined
    },
  }
}
