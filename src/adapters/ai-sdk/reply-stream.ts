import type { MessageStream } from '../../client/message-stream-types.ts'
import type { ReplyPlace } from './place-reply.ts'

/** The stream into the store of one reply. */
export interface ReplyStream {
  /** Opens it under this id. One that was opened under another id goes as soon as this one is there. */
  openAs(id: string): Promise<MessageStream<object>>
  /** Keeps nothing of it. */
  drop(): Promise<void>
}

export function createReplyStream(place: Pick<ReplyPlace, 'open'>): ReplyStream {
  let current: { readonly id: string; readonly stream: MessageStream<object> } | undefined
  return {
    openAs: async (id) => {
      if (current?.id === id) return current.stream
      const before = current
      const stream = await place.open(id, before?.id)
      current = { id, stream }
      if (before !== undefined) {
        // Who follows the one before finds this one then.
        await stream.id.catch(() => undefined)
        await before.stream.abort({ keep: false })
      }
      return stream
    },
    drop: async () => void (await current?.stream.abort({ keep: false })),
  }
}
