/** What the peers keep of a session besides its messages. */
export interface PeerMeta {
  readonly id: string
  readonly title: string
  readonly preview: string
  readonly updatedAt: number
  readonly count: number
}

export const peerMeta = (id: string, count: number, updatedAt = Date.now()): PeerMeta => ({
  id,
  count,
  updatedAt,
  title: `Conversation ${id}`,
  preview: 'The quick brown fox jumps over the lazy dog.',
})
