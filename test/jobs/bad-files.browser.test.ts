import { gzipSync, zipSync } from 'fflate'
import { afterAll, afterEach, beforeAll, expect, it, vi } from 'vitest'
import type { SessionClient } from '../../src/client/client-contract.ts'
import { openSessionStore } from '../../src/client/opening/open-session-store.ts'

vi.setConfig({ testTimeout: 240_000 })

const clients: SessionClient[] = []
async function open(): Promise<SessionClient> {
  const client = await openSessionStore({ name: `bad-files-${crypto.randomUUID()}`, modes: ['worker'] })
  clients.push(client)
  return client
}
afterEach(async () => {
  for (const client of clients.splice(0)) await client.close()
})

/** For what leaves a store as it was. */
let shared: SessionClient
beforeAll(async () => {
  shared = await openSessionStore({ name: `bad-files-${crypto.randomUUID()}`, modes: ['worker'] })
  await shared.files.import(blobOf([chat('here')])).result
})
afterAll(() => shared.close())

const encode = (value: unknown): Uint8Array<ArrayBuffer> =>
  new TextEncoder().encode(typeof value === 'string' ? value : JSON.stringify(value))
const blobOf = (...parts: readonly unknown[]): Blob =>
  new Blob(
    parts.map((part) => (part instanceof Blob || part instanceof Uint8Array ? (part as BlobPart) : encode(part))),
  )
const zipOf = (files: Readonly<Record<string, unknown>>): Uint8Array<ArrayBuffer> =>
  zipSync(
    Object.fromEntries(Object.entries(files).map(([path, value]) => [path, encode(value)])),
  ) as Uint8Array<ArrayBuffer>
const node = (id: string, parent: string | null, text: string) => ({
  id,
  parent,
  children: [],
  message: {
    id,
    author: { role: 'user' },
    content: { content_type: 'text', parts: [text] },
    create_time: 1_770_000_000,
  },
})
const chat = (id: string, nodes = [node('a', null, 'one'), node('b', 'a', 'two')]) => ({
  id,
  conversation_id: id,
  title: `Chat ${id}`,
  create_time: 1,
  update_time: 2,
  mapping: Object.fromEntries(nodes.map((one) => [one.id, one])),
  current_node: nodes.at(-1)!.id,
})
const line = (id: string, content: string, parent: string | null = null) =>
  `${JSON.stringify({ type: 'user', sessionId: 's', uuid: id, parentUuid: parent, message: { role: 'user', content } })}\n`
/** What a store holds, to be compared. */
const everything = async (client: SessionClient): Promise<unknown> =>
  Promise.all(
    (await client.listSessions()).sessions.map(async ({ key }) => [
      key,
      await client.store.getMeta(key),
      await client.store.changes(key),
    ]),
  )

it.each<[string, () => Blob, string]>([
  [
    'a zip that was cut off',
    () => blobOf(zipOf({ 'conversations.json': [chat('x'), chat('y')] }).slice(0, -100)),
    'InvalidInput',
  ],
  [
    'a gzip that was cut off',
    () => blobOf((gzipSync(encode([chat('x')])) as Uint8Array<ArrayBuffer>).slice(0, -20)),
    'InvalidInput',
  ],
  ['a list that breaks off', () => blobOf(JSON.stringify([chat('x'), chat('y')]).slice(0, -10)), 'InvalidInput'],
  ['JSON of something else', () => blobOf([{ theme: 'dark' }]), 'InvalidInput'],
  ['a text', () => blobOf('Dear diary'), 'InvalidInput'],
  ['nothing at all', () => blobOf(''), 'InvalidInput'],
  [
    'a log of a newer pi',
    () =>
      blobOf(
        `${JSON.stringify({ type: 'session', version: 99, id: 'p', timestamp: '2026-01-01T00:00:00Z', cwd: '/' })}\n`,
      ),
    'VersionConflict',
  ],
  [
    'one conversation larger than a worker',
    () =>
      blobOf(
        gzipSync(
          encode(Array.from({ length: 262_145 }, () => '{"role":"user","content":"x"}\n').join('')),
        ) as Uint8Array<ArrayBuffer>,
      ),
    'TooLarge',
  ],
])('refuses %s with a typed error, and leaves the store as it was', async (_, make, name) => {
  const client = shared
  const before = await everything(client)
  await expect(client.files.import(make()).result).rejects.toMatchObject({ name })
  expect(await everything(client)).toEqual(before)
  // Beside a good one it costs only itself, and the report says so.
  const report = await client.files.import([new File([make()], 'bad'), new File([blobOf([chat('here')])], 'good')])
    .result
  expect(report).toMatchObject({ added: 0, known: 2, skipped: [{ file: 'bad' }] })
  expect(await everything(client)).toEqual(before)
})

it('takes a tree that goes in circles, ids that are used twice and names that lead out of a directory', async () => {
  const client = await open()
  const twice = JSON.stringify(chat('twice')).replace(
    '"mapping":{',
    `"mapping":{"a":${JSON.stringify(node('a', null, 'first'))},`,
  )
  const circle = chat('../x', [node('a', 'b', 'one'), node('b', 'a', 'two')])
  const files = zipOf({
    '../../../etc/passwd': `[${twice},${JSON.stringify(circle)}]`,
    'C:\\x\\..\\y': [chat('__proto__')],
  })
  const report = await client.files.import(new File([files], '../../up.zip')).result
  expect(report.keys.toSorted()).toEqual(['chatgpt:../x', 'chatgpt:__proto__', 'chatgpt:twice'])
  expect(report.added).toBe(6)
  expect((await client.store.verify()).problems).toEqual([])
  // Two lines of one id in a log: the first counts, and the other is reported.
  const log = await client.files.import(blobOf(line('u', 'first'), line('u', 'second'), line('v', 'third', 'u'))).result
  expect(log).toMatchObject({
    added: 2,
    skipped: [{ line: 2, reason: expect.stringContaining('used twice') as unknown }],
  })
  const [zip] = await client.files.export('markdown', { as: 'zip' }).result
  expect(await zip!.blob.text()).not.toMatch(/\.\.\/|\.\.\\/)
})

it('passes over a line of a gigabyte, which nobody ever holds', async () => {
  const client = await open()
  const piece = blobOf('x'.repeat(1024 * 1024))
  const bytes = 1024 * 1024 * 1024
  const report = await client.files.import(
    blobOf(line('u', 'before'), ...Array.from({ length: 1024 }, () => piece), '\n', line('v', 'after', 'u')),
  ).result
  expect(report).toMatchObject({
    keys: ['claude-code:s'],
    added: 2,
    skipped: [{ line: 2, reason: `it has ${bytes} bytes; the limit is 16 MiB` }],
  })
  expect((await client.store.getHistory('claude-code:s')).map(({ content }) => content)).toEqual(['before', 'after'])
})

it('leaves no part of a session when it is cancelled, and takes the rest another time', async () => {
  const long = (id: string) =>
    chat(
      id,
      Array.from({ length: 1200 }, (_, i) => node(`n${i}`, i === 0 ? null : `n${i - 1}`, `text ${i}`)),
    )
  const file = blobOf(Array.from({ length: 4 }, (_, i) => long(`c${i}`)))
  const whole = await open()
  await whole.files.import(file).result
  const expected = (await whole.store.changes('chatgpt:c0')).vv
  let stopped = 0
  for (const share of [0.5, 0.6, 0.8]) {
    const client = await open()
    const ending = new AbortController()
    const job = client.files.import(file, { signal: ending.signal })
    const watching = (async () => {
      for await (const { readBytes, totalBytes, entries } of job)
        if (entries > 0 && readBytes / totalBytes >= share) ending.abort()
    })().catch(() => {})
    const error: unknown = await job.result.then(
      () => undefined,
      (thrown: unknown) => thrown,
    )
    await watching
    if (error !== undefined) {
      stopped += 1
      expect(error).toMatchObject({ name: 'Aborted' })
    }
    const { sessions } = await client.listSessions()
    for (const { key } of sessions)
      expect((await client.store.usage(key)).entries).toBe((await whole.store.usage(key)).entries)
    expect((await client.store.verify()).problems).toEqual([])
    await client.files.import(file).result
    expect((await client.listSessions()).total).toBe(4)
    expect((await client.store.changes('chatgpt:c0')).vv).toEqual(expected)
  }
  expect(stopped).toBeGreaterThan(0)
})
