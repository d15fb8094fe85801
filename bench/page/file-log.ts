import type { Message } from '../../src/contract/message.ts'
import type { Durability } from '../../src/contract/store/write-options.ts'

/** The least that can be written: a line of JSON for each message, in a file that a worker keeps open. */
export interface FileLog {
  append(session: string, message: Message, durability: Durability): Promise<void>
  appendAll(session: string, messages: readonly Message[]): Promise<void>
  last(session: string, count: number): Promise<readonly Message[]>
  all(session: string): Promise<readonly Message[]>
  close(): void
}

export function openFileLog(): FileLog {
  const worker = new Worker(new URL('./file-log.worker.ts', import.meta.url), { type: 'module' })
  const waiting = new Map<number, (bytes: Uint8Array) => void>()
  let calls = 0
  worker.onmessage = ({ data }: MessageEvent<{ readonly id: number; readonly bytes: Uint8Array }>) => {
    waiting.get(data.id)?.(data.bytes)
    waiting.delete(data.id)
  }
  const call = (asked: object): Promise<Uint8Array> =>
    new Promise((resolve) => {
      const id = calls++
      waiting.set(id, resolve)
      worker.postMessage({ id, ...asked })
    })
  const write = async (session: string, text: string, isStrict: boolean): Promise<void> =>
    void (await call({ session, act: 'append', text, isStrict }))

  return {
    append: (session, message, durability) => write(session, `${JSON.stringify(message)}\n`, durability === 'strict'),
    appendAll: (session, messages) =>
      write(session, messages.map((message) => `${JSON.stringify(message)}\n`).join(''), false),
    last: async (session, count) => messagesIn(await call({ session, act: 'last', count })),
    all: async (session) => messagesIn(await call({ session, act: 'all' })),
    close: () => worker.terminate(),
  }
}

function messagesIn(bytes: Uint8Array): readonly Message[] {
  const lines = new TextDecoder().decode(bytes).split('\n')
  return lines.slice(0, -1).map((line) => JSON.parse(line) as Message)
}
