import type { Page } from 'playwright-core'

/** What the page keeps of each request, so that it can be read and broken off from here. */
interface Fetches {
  readonly [id: number]: {
    readonly reader: ReadableStreamDefaultReader<Uint8Array> | undefined
    readonly ending: AbortController
  }
}

/**
 * A `fetch` that is done by a page: requests are those of its client, through its Service Worker; bodies are streamed
 * from there.
 */
export function pageFetch(page: Page): (path: string, init?: RequestInit) => Promise<Response> {
  let count = 0
  return async (path, { method = 'GET', headers = {}, body } = {}) => {
    const id = count++
    const { status, answered, hasBody } = await page.evaluate(
      async ({ id, path, init }) => {
        const ending = new AbortController()
        const response = await fetch(path, { ...init, signal: ending.signal })
        const fetches = ((window as unknown as { fetches: Record<number, unknown> }).fetches ??= {})
        fetches[id] = { reader: response.body?.getReader(), ending }
        return { status: response.status, answered: [...response.headers], hasBody: response.body !== null }
      },
      {
        id,
        path,
        init: {
          method,
          headers: headers as Record<string, string>,
          ...(body === undefined ? {} : { body: body as string }),
        },
      },
    )
    const stream = new ReadableStream<Uint8Array<ArrayBuffer>>({
      pull: async (controller) => {
        const piece = await page.evaluate(async (id) => {
          const { value } = (await (window as unknown as { fetches: Fetches }).fetches[id]!.reader!.read()) as {
            value?: Uint8Array
          }
          if (value === undefined) return undefined
          // A list of numbers would be carried over one by one.
          let text = ''
          for (let at = 0; at < value.length; at += 8192) text += String.fromCharCode(...value.subarray(at, at + 8192))
          return btoa(text)
        }, id)
        if (piece === undefined) controller.close()
        else controller.enqueue(new Uint8Array(Buffer.from(piece, 'base64')))
      },
      // As a page does that goes away.
      cancel: () => page.evaluate((id) => (window as unknown as { fetches: Fetches }).fetches[id]!.ending.abort(), id),
    })
    return new Response(hasBody && status !== 204 ? stream : null, { status, headers: answered as [string, string][] })
  }
}
