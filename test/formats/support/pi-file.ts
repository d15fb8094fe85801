import type { JsonObject } from '../../../src/contract/json.ts'

export const sourceId = '0c5b6a34-73f5-4f0d-a4d5-8f1e5b6a7c01'
export const sourceKey = `pi:${sourceId}`

/** The n-th second of the session, as pi writes it. */
export const timeAt = (n: number): string => new Date(Date.UTC(2026, 2, 14, 8, 0, n)).toISOString()
export const msAt = (n: number): number => Date.UTC(2026, 2, 14, 8, 0, n)

export const header = (more: JsonObject = {}): JsonObject => ({
  type: 'session',
  version: 3,
  id: sourceId,
  timestamp: timeAt(0),
  cwd: '/home/mara/trains',
  ...more,
})

/** A line of version 3; ids end in the second. */
export const entry = (n: number, parent: number | null, type: string, rest: JsonObject): JsonObject => ({
  type,
  id: idAt(n),
  parentId: parent === null ? null : idAt(parent),
  timestamp: timeAt(n),
  ...rest,
})

export const idAt = (n: number): string => `id${String(n).padStart(6, '0')}`

export const user = (n: number, parent: number | null, content = `question ${n}`): JsonObject =>
  entry(n, parent, 'message', { message: { role: 'user', content, timestamp: msAt(n) } })
export const assistant = (n: number, parent: number, text = `answer ${n}`): JsonObject =>
  entry(n, parent, 'message', {
    message: {
      role: 'assistant',
      content: [{ type: 'text', text }],
      provider: 'anthropic',
      model: 'claude',
      timestamp: msAt(n),
    },
  })

/** A conversation of questions and answers: entries 1 to `count` in one line. */
export const linear = (count: number): JsonObject[] =>
  Array.from({ length: count }, (_, i) => (i % 2 === 0 ? user(i + 1, i === 0 ? null : i) : assistant(i + 1, i)))

/** A line of version 1: no ids. */
export const bare = ({ id: _, parentId: __, ...rest }: JsonObject): JsonObject => rest

export const headerV1 = (): JsonObject => {
  const { version: _, ...rest } = header({ provider: 'anthropic', modelId: 'claude', thinkingLevel: 'off' })
  return rest
}

export const textOf = (lines: readonly (JsonObject | string)[]): string =>
  lines.map((line) => `${typeof line === 'string' ? line : JSON.stringify(line)}\n`).join('')

export const bytesOf = (lines: readonly (JsonObject | string)[] | string): Uint8Array<ArrayBuffer> =>
  new TextEncoder().encode(typeof lines === 'string' ? lines : textOf(lines))

/** A source that gives bytes in pieces of this size. */
export async function* inPieces(bytes: Uint8Array, size = 1000): AsyncGenerator<Uint8Array, void, undefined> {
  for (let from = 0; from < bytes.length; from += size) yield bytes.subarray(from, from + size)
}
