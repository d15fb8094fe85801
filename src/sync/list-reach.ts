import type { LinkStatus, LinkTrouble } from './link.ts'

/** Whether the other side can be reached: a server, or at least one peer. */
export interface ListReach {
  link(): LinkStatus
  /** The same, but a trouble lasts until the connection works again, also while another attempt is made. */
  standing(): LinkStatus
  isUp(): boolean
  /** Whether the connection itself works, whoever is at its other end. */
  isConnected(): boolean
  setStatus(status: LinkStatus): void
  /** So many peers are there. @returns how many there were before */
  setOthers(count: number): number
  /** Whether a peer has answered, in this connection. */
  hasOthers(): boolean
  /** The other side takes nothing from here. */
  setReadonly(): void
  /** The connection is closed on purpose: nothing is wrong any more. */
  clearTrouble(): void
}

/** @param isAmongPeers - whether there are only peers, and no server */
export function createListReach(isAmongPeers: boolean): ListReach {
  let link: LinkStatus = { state: 'connecting' }
  let trouble: LinkTrouble | undefined
  /** Absent before the first answer of a peer. */
  let others: number | undefined

  const reached = (): LinkStatus => {
    if (link.state !== 'connected' || !isAmongPeers || (others ?? 0) > 0) return link
    return { state: others === undefined ? 'connecting' : 'offline' }
  }
  const isUp = (): boolean => reached().state === 'connected' || link.state === 'readonly'

  return {
    link: reached,
    standing: () => {
      const status = reached()
      return status.state === 'connecting' ? (trouble ?? status) : status
    },
    isUp,
    isConnected: () => link.state === 'connected',
    setStatus: (status) => {
      link = status
      if (status.state !== 'connected') others = undefined
      if (isUp()) trouble = undefined
      else if (status.state !== 'connecting' && status.state !== 'connected') trouble = status
    },
    setOthers: (count) => {
      const before = others ?? 0
      others = count
      return before
    },
    hasOthers: () => others !== undefined,
    setReadonly: () => {
      link = { state: 'readonly' }
    },
    clearTrouble: () => {
      trouble = undefined
    },
  }
}
