import { expect, it } from 'vitest'
import type { ReplyPlace } from '../../../src/adapters/ai-sdk/place-reply.ts'
import { recordReply, recordStream } from '../../../src/adapters/ai-sdk/record-reply.ts'
import type { Fields } from '../../../src/adapters/ai-sdk/ui-message.ts'
import { createFileUrls } from '../../../src/adapters/file-urls.ts'
import { createWriteQueue } from '../../../src/adapters/write-queue.ts'
import { SessionError } from '../../../src/contract/errors.ts'
import { createSessionStore } from '../../../src/storage/create-session-store.ts'
import { createMemoryBackend } from '../../../src/storage/memory-backend.ts'

const full = new SessionError('QuotaExceeded', 'full')

/** A reply that finds no space. Counts how often it is begun. */
function createReply() {
  let opened = 0
  const place: ReplyPlace = {
    base: undefined,
    isAnother: false,
    store: () => Promise.resolve(),
    isFirst: () => Promise.resolve(true),
    open: () => {
      opened++
      return Promise.reject(full)
    },
    put: () => Promise.reject(full),
  }
  const writes = createWriteQueue(undefined)
  const reply = recordReply(place, createFileUrls(createSessionStore(createMemoryBackend())), writes)
  return { reply, writes, opened: () => opened }
}

it('does not begin a reply that has ended', async () => {
  const { reply, writes, opened } = createReply()
  await expect(reply.add({ type: 'text-start', id: 't' })).rejects.toBe(full)
  await reply.end(true)
  await writes.retry()
  expect(opened()).toBe(1)
})

it('cancels the source when the reply can not be stored', async () => {
  const { reply } = createReply()
  const canceled: unknown[] = []
  const source = new ReadableStream<Fields>({
    pull: (controller) => controller.enqueue({ type: 'start' }),
    cancel: (reason) => void canceled.push(reason),
  })
  await expect(recordStream(source, reply).getReader().read()).rejects.toBe(full)
  expect(canceled).toEqual([full])
})
