import fc from 'fast-check'
import { expect, it } from 'vitest'
import { type ChatEvent, chatEvents } from '../../../src/chat.ts'

const respond = (pieces: readonly Uint8Array<ArrayBuffer>[], init?: ResponseInit): Response =>
  new Response(
    new ReadableStream({
      start: (controller) => (pieces.forEach((piece) => controller.enqueue(piece)), controller.close()),
    }),
    init,
  )
const heard = async (response: Response): Promise<ChatEvent[]> => {
  const events: ChatEvent[] = []
  for await (const event of chatEvents(response)) events.push(event)
  return events
}
const bytes = (text: string): Uint8Array<ArrayBuffer> => new TextEncoder().encode(text)

it('hears the same events wherever their bytes are split', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.string({ unit: 'binary' }), { maxLength: 5 }),
      fc.constantFrom('\n', '\r\n', '\r'),
      fc.array(fc.nat(400)),
      async (texts, end, cuts) => {
        const events = texts.map((text) => ({ type: 'text_delta', text }) as const)
        const all = bytes(events.map((event) => `: comment${end}data: ${JSON.stringify(event)}${end}${end}`).join(''))
        const places = [...new Set([0, ...cuts.filter((cut) => cut < all.length), all.length])].sort((a, b) => a - b)
        const pieces = places.slice(1).map((to, i) => all.slice(places[i], to))
        expect(await heard(respond(pieces))).toEqual(events)
      },
    ),
  )
})

it('passes over a line that broke off', async () => {
  expect(await heard(respond([bytes('data: {"type":"text_delta","text":"a"}\n\ndata: {"type":"text_de')]))).toEqual([
    { type: 'text_delta', text: 'a' },
  ])
})

it('says what a server said that refused', async () => {
  await expect(heard(respond([bytes('{"error":{"name":"TooLarge"}}')], { status: 413 }))).rejects.toThrow(
    /413.*TooLarge/,
  )
})

it('tells the server when nobody listens any more', async () => {
  let isCancelled = false
  const body = new ReadableStream<Uint8Array>({
    start: (controller) => controller.enqueue(bytes('data: {"type":"text_delta","text":"a"}\n\n')),
    cancel: () => void (isCancelled = true),
  })
  for await (const event of chatEvents(new Response(body))) if (event.type === 'text_delta') break
  expect(isCancelled).toBe(true)
})
