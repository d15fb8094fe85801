import type { ChatEvent } from './chat-types.ts'

export interface EventStream {
  readonly body: ReadableStream<Uint8Array<ArrayBuffer>>
  /** Never waits for the client: a slow or stopped client must not delay the work that follows. */
  send(event: ChatEvent): void
  close(): void
}

/**
 * Server-sent events, one `data:` line each.
 *
 * @param onCancel - called when the client stops reading
 */
export function createEventStream(onCancel: () => void): EventStream {
  const encoder = new TextEncoder()
  let controller: ReadableStreamDefaultController<Uint8Array<ArrayBuffer>> | undefined
  const body = new ReadableStream<Uint8Array<ArrayBuffer>>({
    start: (its) => void (controller = its),
    cancel: () => {
      controller = undefined
      onCancel()
    },
  })
  return {
    body,
    // JSON escapes line breaks, so that an event is always one line.
    send: (event) => controller?.enqueue(encoder.encode(`data: ${JSON.stringify(event)}\n\n`)),
    close: () => {
      controller?.close()
      controller = undefined
    },
  }
}
