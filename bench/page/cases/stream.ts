import { persistTransport } from '../../../src/ai-sdk.ts'
import type { SessionClient } from '../../../src/client/client-contract.ts'
import { createPersistence } from '../../../src/tanstack-ai.ts'
import { ours } from '../../contender-names.ts'
import { count } from '../../count.ts'
import type { Effort } from '../../sample.ts'
import type { Cell, OpenCase } from '../cells.ts'
import { openOurs } from '../contenders.ts'

const piece = 'a few words '

/** Takes the pieces of one reply, each in a task of its own. @returns what ends the reply, outside of what is timed */
type Talk = (each: (take: () => unknown) => Promise<void>) => Promise<() => Promise<unknown>>

/** What a piece of a streamed reply costs the page, in a chat of many messages. */
export async function openStream({ isQuick }: Effort): Promise<OpenCase> {
  const client = await openOurs()
  const pieces = isQuick ? 200 : 2000
  const cells: Cell[] = []
  for (const size of isQuick ? [10] : [10, 4000]) {
    const talks: Readonly<Record<string, (rep: number) => Talk>> = {
      'nothing stored': () => bare,
      [ours]: (rep) => overStream(client, `stream-${size}-${rep}`, size),
      'AI SDK adapter': (rep) => overAiSdk(client, `ai-sdk-${size}-${rep}`, size),
      'TanStack AI adapter': (rep) => overTanStack(client, `tanstack-${size}-${rep}`, size),
    }
    for (const [contender, open] of Object.entries(talks))
      cells.push({
        group: `a chat of ${count(size)} messages`,
        contender,
        run: async (rep) => ({ 'for each 1,000 pieces': ((await timePieces(open(rep), pieces)) / pieces) * 1000 }),
      })
  }
  return {
    title: `A reply of ${count(pieces)} pieces while it is streamed`,
    notes: [
      'Each piece comes in a task of its own. What the adapters keep of the messages before is included; drawing them, which is up to the app, is not.',
      'Milliseconds for 1,000 pieces are microseconds for one.',
    ],
    cells,
    close: () => client.close(),
  }
}

async function timePieces(talk: Talk, pieces: number): Promise<number> {
  let time = 0
  const end = await talk(async (take) => {
    // The first piece begins the reply.
    await take()
    await nextTask()
    const start = performance.now()
    for (let i = 1; i < pieces; i++) {
      await take()
      await nextTask()
    }
    time = performance.now() - start
  })
  await end()
  return time
}

const bare: Talk = async (each) => {
  let text = ''
  await each(() => (text += piece))
  return async () => undefined
}

function overStream(client: SessionClient, key: string, size: number): Talk {
  return async (each) => {
    const session = await client.session(key)
    await session.appendAll(
      Array.from(
        { length: size },
        (_, i) => ({ type: 'message', message: { role: 'user', content: `${i}` } }) as const,
      ),
    )
    const reply = session.stream()
    await each(() => reply.write(piece))
    return () => reply.end()
  }
}

/** A message of either library: they call the text of a part by different names. */
const uiMessage = (field: 'text' | 'content', id: string, role: 'user' | 'assistant', text: string) => ({
  id,
  role,
  parts: [{ type: 'text' as const, [field]: text }],
})
const uiMessages = (field: 'text' | 'content', size: number) =>
  Array.from({ length: size }, (_, i) => uiMessage(field, `m${i}`, i % 2 === 0 ? 'user' : 'assistant', `Message ${i}`))

function overAiSdk(client: SessionClient, key: string, size: number): Talk {
  return async (each) => {
    const session = await client.session(key)
    let source!: ReadableStreamDefaultController<unknown>
    const inner = {
      sendMessages: async (_: unknown) =>
        new ReadableStream<unknown>({ start: (controller) => void (source = controller) }),
      reconnectToStream: async (_: unknown) => null,
    }
    const transport = persistTransport(inner, session as never)
    const messages = [...uiMessages('text', size), uiMessage('text', 'question', 'user', 'Well?')]
    const chunks = (
      await transport.sendMessages({ trigger: 'submit-message', messageId: undefined, messages })
    ).getReader()
    const pass = async (chunk: object): Promise<void> => {
      source.enqueue(chunk)
      await chunks.read()
    }
    await pass({ type: 'start' })
    await pass({ type: 'text-start', id: '1' })
    await each(() => pass({ type: 'text-delta', id: '1', delta: piece }))
    return async () => {
      await pass({ type: 'text-end', id: '1' })
      await pass({ type: 'finish' })
      source.close()
      await chunks.read()
      transport.close()
    }
  }
}

function overTanStack(client: SessionClient, key: string, size: number): Talk {
  return async (each) => {
    const persistence = createPersistence(client)
    const messages = uiMessages('content', size)
    persistence.setItem(key, { messages })
    await persistence.flush(key)
    let text = ''
    await each(() => {
      text += piece
      persistence.setItem(key, { messages: [...messages, uiMessage('content', 'reply', 'assistant', text)] })
    })
    return () => persistence.flush(key)
  }
}

const channel = new MessageChannel()
const nextTask = (): Promise<void> =>
  new Promise((resolve) => {
    channel.port1.onmessage = () => resolve()
    channel.port2.postMessage(null)
  })
