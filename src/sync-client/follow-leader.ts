import { createSnapshotReceiver } from './snapshot-messages.ts'
import type { SyncChannel, SyncChannelMessage } from './sync-channel.ts'
import type { TabCalls } from './tab-calls.ts'
import type { TabSnapshot } from './tab-snapshot.ts'
import type { TabState } from './tab-state.ts'
import type { TabWatches } from './watch-in-tabs.ts'

type MessageOf<K extends SyncChannelMessage['sync']> = Extract<SyncChannelMessage, { readonly sync: K }>

export interface FollowLeaderOptions {
  readonly channel: SyncChannel
  readonly state: TabState
  readonly snapshot: TabSnapshot
  readonly calls: TabCalls
  readonly watches: TabWatches
}

/** How a tab that does not lead follows the one that does. */
export interface LeaderFollower {
  /** Asks for a whole snapshot, once. */
  greet(): void
  takeSnapshot(message: MessageOf<'snapshot'>): void
  takePresence(message: MessageOf<'presence'>): void
}

export function followLeader({ channel, state, snapshot, calls, watches }: FollowLeaderOptions): LeaderFollower {
  let receive = createSnapshotReceiver()
  let isGreeting = false
  const greet = (): void => {
    if (!isGreeting) channel.post({ sync: 'hello' })
    isGreeting = true
  }
  return {
    greet,
    takeSnapshot: ({ leader, device, isPaused, content }) => {
      if (state.engine !== undefined) return
      const isNewLeader = state.leader !== leader
      if (isNewLeader) receive = createSnapshotReceiver()
      const received = receive(content)
      if (received === undefined) greet()
      else snapshot.show(received, false)
      isGreeting &&= received === undefined
      state.device = device
      state.isPaused = isPaused
      if (!isNewLeader) return
      state.leader = leader
      if (leader === undefined) return calls.suspend()
      if (watches.isWatching()) watches.announce()
      calls.follow(leader)
    },
    takePresence: ({ leader, presence }) => {
      if (state.engine === undefined && leader === state.leader) snapshot.showPresence(presence)
    },
  }
}
