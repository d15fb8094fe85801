import type { FollowLeaderOptions, LeaderFollower } from './follow-leader.ts'
import type { SignOut } from './sign-out.ts'
import type { SyncChannelMessage } from './sync-channel.ts'
import type { TabBroadcast } from './tab-broadcast.ts'
import { notePause } from './tab-state.ts'

export interface HandleMessagesOptions extends Omit<FollowLeaderOptions, 'channel'> {
  readonly broadcast: TabBroadcast
  readonly follower: LeaderFollower
  readonly signingOut: Pick<SignOut, 'handle'>
}

/** What a tab does for each message of another one. */
export function handleMessages(options: HandleMessagesOptions): (message: SyncChannelMessage) => void {
  const { state, snapshot, broadcast, calls, watches, follower, signingOut } = options
  return (message) => {
    switch (message.sync) {
      case 'hello':
        broadcast.snapshot('whole')
        if (state.engine !== undefined) broadcast.presence(snapshot.get().presence)
        return
      case 'snapshot':
        return follower.takeSnapshot(message)
      case 'presence':
        return follower.takePresence(message)
      case 'roll':
        return watches.announce()
      case 'watching':
        return watches.setTab(message.tab, message.keys)
      case 'typing':
        return state.engine?.setTyping(message.key, message.isTyping)
      case 'sign-out':
      case 'signed-out':
        return signingOut.handle(message)
      case 'ask':
        notePause(state, message.call)
        return calls.handle(message)
      default:
        return calls.handle(message)
    }
  }
}
