import { readEntries } from '../../client/session/read-entries.ts'
import type { EntryView } from '../../contract/entry.ts'
import type { SessionMeta } from '../../contract/meta.ts'
import type { SessionStore } from '../../contract/store/session-store.ts'
import { sessionRow } from './session-row.ts'

/**
 * Streams a session with its whole transcript as JSON text. Pages are read only as fast as the client reads, so that a
 * session may have any length. Each message has all its fields, and `id` and `timestamp` of its entry if it has none of
 * its own.
 */
export async function streamSession(
  store: SessionStore,
  meta: SessionMeta,
): Promise<ReadableStream<Uint8Array<ArrayBuffer>>> {
  const pieces = writeSession(meta, readEntries(store, meta.key))
  // The first page is read before the response starts, so that an error can set its status.
  let next: Promise<IteratorResult<string, void>> = Promise.resolve(await pieces.next())
  const encoder = new TextEncoder()
  return new ReadableStream({
    pull: async (controller) => {
      const { done, value } = await next
      if (done === true) return controller.close()
      controller.enqueue(encoder.encode(value))
      next = pieces.next()
      // The next pull reports the error.
      next.catch(() => undefined)
    },
    cancel: async () => void (await pieces.return()),
  })
}

async function* writeSession(
  meta: SessionMeta,
  pages: AsyncIterable<readonly EntryView[]>,
): AsyncGenerator<string, void, undefined> {
  const opening = `${JSON.stringify({ ...sessionRow(meta), summary: meta.summary }).slice(0, -1)},"messages":[`
  let before = opening
  for await (const entries of pages) {
    const messages = entries.flatMap(({ id, at, message }) =>
      message === undefined ? [] : [JSON.stringify({ id, timestamp: at, ...message })],
    )
    if (messages.length === 0) continue
    yield before + messages.join(',\n')
    before = ',\n'
  }
  yield `${before === opening ? opening : ''}]}`
}
