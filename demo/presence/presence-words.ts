import type { PeerState } from '../../src/sync.ts'
import { device } from '../device.ts'
import { shortened } from '../ui/format.ts'

/** What this device is called by the others. */
export const ownName = `Device ${device}`

/**
 * What another device calls itself; `undefined` for one that says nothing, or the same as this one: in another browser
 * there is a first device, too.
 */
export function peerName({ user }: PeerState): string | undefined {
  const { name } = user
  return typeof name === 'string' && name.trim() !== '' && name !== ownName ? shortened(name.trim(), 40) : undefined
}

/** Who else is in a conversation, and who writes there. Nothing, where nobody is. */
export function presenceWords(peers: readonly PeerState[]): string {
  const typing = peers.filter(({ isTyping }) => isTyping)
  const quiet = peers.filter(({ isTyping }) => !isTyping)
  return [typing.length > 0 && `${subject(typing)} writing…`, quiet.length > 0 && `${subject(quiet)} here`]
    .filter(Boolean)
    .join(' · ')
}

function subject(peers: readonly PeerState[]): string {
  const names = peers.map(peerName).filter((name) => name !== undefined)
  const [first, second] = names
  if (peers.length === 1) return `${first ?? 'Another device'} is`
  return peers.length === 2 && second !== undefined && first !== second
    ? `${first} and ${second} are`
    : `${peers.length} other devices are`
}
