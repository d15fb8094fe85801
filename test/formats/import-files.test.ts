import { gzipSync, zipSync } from 'fflate'
import { describe, expect, it, vi } from 'vitest'
import { isSessionError } from '../../src/contract/errors.ts'
import type { JobProgress } from '../../src/contract/job.ts'
import { importFiles } from '../../src/files/import-files.ts'
import {
  blobOf,
  chatGpt,
  chatSays,
  everything,
  filesOf,
  forked,
  linesOf,
  openStore,
  said,
  uuid,
} from './support/foreign-exports.ts'
import { header as piHeader, sourceKey as piKey, linear as piLinear, textOf as piText } from './support/pi-file.ts'
import { logOf, metaOf, talk } from './support/picoclaw-files.ts'

vi.setConfig({ testTimeout: 30_000 })

const encode = (value: unknown): Uint8Array<ArrayBuffer> =>
  new TextEncoder().encode(typeof value === 'string' ? value : JSON.stringify(value)) as Uint8Array<ArrayBuffer>
const zipOf = (files: Readonly<Record<string, unknown>>): Blob =>
  new Blob([
    zipSync(
      Object.fromEntries(
        Object.entries(files).map(([path, value]) => [path, value instanceof Uint8Array ? value : encode(value)]),
      ),
    ) as Uint8Array<ArrayBuffer>,
  ])
const key = `chatgpt:${uuid(1)}`
const many = (count: number, from = 0): unknown[] => Array.from({ length: count }, (_, i) => forked(uuid(from + i + 1)))
const claude = { uuid: uuid(9), name: 'C', chat_messages: [{ uuid: uuid(10), sender: 'human', text: 'Hi' }] }
const piLog = piText([piHeader(), ...piLinear(4)])

describe('files of any app', () => {
  it('are told by their content, whatever they are called', async () => {
    const store = openStore()
    const report = await importFiles(
      store,
      filesOf({
        'a.txt': [forked()],
        'b.jsonl': JSON.stringify([claude], undefined, 2),
        'c.json': piLog,
        d: new Blob([gzipSync(encode([{ role: 'user', content: 'Hi' }])) as Uint8Array<ArrayBuffer>]),
        'e.pdf': zipOf({
          'x.bin': linesOfText([
            { type: 'user', sessionId: 's', uuid: 'u', parentUuid: null, message: { role: 'user', content: 'Hi' } },
          ]),
        }),
      }),
    )
    expect(report.sessions.map(({ dialect, file }) => [dialect, file])).toEqual([
      ['chatgpt', 'a.txt'],
      ['claude', 'b.jsonl'],
      ['pi', 'c.json'],
      ['openai', 'd'],
      ['claude-code', 'e.pdf/x.bin'],
    ])
    expect(report).toMatchObject({ added: 6 + 1 + 4 + 1 + 1, skippedCount: 0 })
    expect(report.keys).toContain(piKey)
  })

  it('may be a PicoClaw directory, as files or in a zip, among others', async () => {
    const files = {
      's/room.jsonl': logOf(talk(3).map(({ created_at: _, ...message }) => message)),
      's/room.meta.json': metaOf('agent:main:telegram:direct:1'),
      'chat.json': JSON.stringify([forked()]),
    }
    for (const source of [
      filesOf(files),
      zipOf(files),
      [{ path: 'all.zip', blob: zipOf(files) }],
      [{ path: 'all', blob: zipOf(files) }],
    ]) {
      const store = openStore()
      const report = await importFiles(store, source)
      expect(report.keys.toSorted()).toEqual(['agent:main:telegram:direct:1', key])
      expect(report).toMatchObject({ added: 9, skippedCount: 0 })
      expect(await said(store, 'agent:main:telegram:direct:1')).toHaveLength(3)
    }
  })

  it.each<[string, Blob, RegExp]>([
    [
      'an unknown list',
      blobOf([{ conversationId: 'x', endpoint: 'y' }]),
      /a list that begins with an object with conversationId, endpoint/,
    ],
    [
      'an unknown object',
      blobOf('{\n "chat-next-web-store": {},\n "access-control": {"token":"sk-1"}\n}'),
      /an object with chat-next-web-store, access-control/,
    ],
    ['an empty list', blobOf([]), /a list that begins with nothing/],
    ['a picture', new Blob([Uint8Array.of(0x89, 0x50, 0x4e, 0x47, 0, 0)]), /no text/],
    ['a text', blobOf('Dear diary'), /no JSON/],
    ['nothing', blobOf(''), /no JSON/],
    ['an empty zip', zipOf({}), /Found: no file/],
  ])('are refused when nothing is known, saying what was found (%s)', async (_, file, message) => {
    const store = openStore()
    await expect(importFiles(store, file)).rejects.toMatchObject({
      name: 'InvalidInput',
      message: expect.stringMatching(message),
    })
    expect((await store.listSessions()).total).toBe(0)
  })

  it('report a file that is none of these beside others', async () => {
    const { skipped } = await importFiles(openStore(), filesOf({ 'a.json': [forked()], 'b.json': { theme: 'dark' } }))
    expect(skipped).toEqual([
      { line: 0, file: 'b.json', reason: 'it holds no conversation that is known here: an object with theme' },
    ])
  })

  it('say how far they are, each read twice', async () => {
    const signs: JobProgress[] = []
    const blob = blobOf(many(20))
    await importFiles(openStore(), blob, { onProgress: (progress) => void signs.push(progress) })
    expect(signs.at(-1)).toEqual({ readBytes: 2 * blob.size, totalBytes: 2 * blob.size, entries: 120, skipped: 0 })
    for (const [i, sign] of signs.entries())
      if (i > 0) expect(sign.readBytes).toBeGreaterThanOrEqual(signs[i - 1]!.readBytes)
  })
})

describe('a dry run', () => {
  it('says what an import would do, and writes nothing', async () => {
    const files = filesOf({ 'a.json': [...many(3), { title: 'broken' }], 'b.json': many(1), 'c.jsonl': piLog })
    const store = openStore()
    await importFiles(store, blobOf([chatGpt(uuid(2), [['q1', null, chatSays(1, 'user', 'What is a fold?')]])]))
    await store.delete(`chatgpt:${uuid(3)}`).catch(() => undefined)
    const before = await everything(store)
    const dry = await importFiles(store, files, { dryRun: true })
    expect(await everything(store)).toEqual(before)
    expect(await importFiles(store, files)).toEqual(dry)
    expect(dry).toMatchObject({ added: 17 + 4, known: 7, skippedCount: 1 })
  })

  it('finds what a deleted session has', async () => {
    const store = openStore()
    await importFiles(store, blobOf(piLog))
    await store.delete(piKey)
    expect(await importFiles(store, blobOf(piLog), { dryRun: true })).toMatchObject({ added: 0, known: 4 })
    expect((await store.getMeta(piKey))?.deletedAt).toBeDefined()
  })
})

describe('an import that is cancelled', () => {
  const count = 6

  async function cancelAt(n: number): Promise<{ store: ReturnType<typeof openStore>; whole: number }> {
    const store = openStore()
    const ending = new AbortController()
    const big = chatGpt(
      uuid(1),
      Array.from({ length: 1010 }, (_, i): [string, string | null, ReturnType<typeof chatSays>] => [
        `n${i}`,
        i === 0 ? null : `n${i - 1}`,
        chatSays(i, i % 2 ? 'assistant' : 'user', `text ${i}`),
      ]),
    )
    let merges = 0
    const counting = {
      ...store,
      merge: async (...args: Parameters<typeof store.merge>) => {
        const result = await store.merge(...args)
        merges += 1
        if (merges === n) ending.abort()
        return result
      },
    }
    const error: unknown = await importFiles(counting, blobOf([big, ...many(count, 1)]), {
      signal: ending.signal,
    }).catch((thrown: unknown) => thrown)
    expect(isSessionError(error, 'Aborted')).toBe(true)
    return { store, whole: (await store.listSessions()).total }
  }

  it.each([1, 2, 5])('leaves no part of a session (after transaction %i)', async (n) => {
    const { store } = await cancelAt(n)
    const { sessions } = await store.listSessions({ limit: 100 })
    for (const { key: one } of sessions)
      expect(await store.usage(one)).toMatchObject({ entries: one === key ? 1013 : expect.any(Number) })
    const fresh = openStore()
    await importFiles(fresh, blobOf(many(count, 1)))
    for (const { key: one } of sessions)
      if (one !== key) expect(await store.changes(one)).toEqual(await fresh.changes(one))
    expect((await store.verify()).problems).toEqual([])
  })

  it('before it begins, does nothing', async () => {
    const store = openStore()
    await expect(importFiles(store, blobOf(many(2)), { signal: AbortSignal.abort() })).rejects.toMatchObject({
      name: 'Aborted',
    })
    expect((await store.listSessions()).total).toBe(0)
  })

  it('while it is looking at the files, writes nothing', async () => {
    const store = openStore()
    const ending = new AbortController()
    await expect(
      importFiles(store, blobOf(many(500)), { signal: ending.signal, onProgress: () => ending.abort() }),
    ).rejects.toMatchObject({ name: 'Aborted' })
    expect((await store.listSessions()).total).toBe(0)
  })
})

describe('a damaged file', () => {
  const text = JSON.stringify(many(30))

  it.each<[string, Blob, string, RegExp]>([
    [
      'a list that breaks off',
      blobOf(text.slice(0, -100)),
      'InvalidInput',
      /ends in the middle of an item that begins at byte \d+, at byte \d+, after item 29/,
    ],
    ['a list with a quote too few', blobOf(text.replace('"mapping"', '"mapping')), 'InvalidInput', /This is not JSON/],
    ['a list that is closed twice', blobOf(`${text}]`), 'InvalidInput', /continues after its end at byte \d+/],
    [
      'a zip that was cut off',
      new Blob([zipSync({ 'conversations.json': encode(many(30)) }).slice(0, -500) as Uint8Array<ArrayBuffer>]),
      'InvalidInput',
      /cut off/,
    ],
    [
      'a zip with a list that breaks off',
      zipOf({ 'conversations.json': text.slice(0, -1) }),
      'InvalidInput',
      /ends too early/,
    ],
    [
      'a gzip that was cut off',
      new Blob([gzipSync(encode(text)).slice(0, -50) as Uint8Array<ArrayBuffer>]),
      'InvalidInput',
      /could not be read/,
    ],
    ['a log of a newer pi', linesOf([piHeader({ version: 99 })]), 'VersionConflict', /version 99/],
    ['an object that breaks off', blobOf(JSON.stringify(forked()).slice(0, -20)), 'InvalidInput', /ends in the middle/],
  ])('is refused as a whole, and nothing of it is stored (%s)', async (_, file, name, message) => {
    const store = openStore()
    await importFiles(store, blobOf(piLog))
    const before = await everything(store)
    await expect(importFiles(store, file)).rejects.toMatchObject({ name, message: expect.stringMatching(message) })
    expect(await everything(store)).toEqual(before)
  })

  it('beside others is left out and reported', async () => {
    const store = openStore()
    const report = await importFiles(
      store,
      filesOf({
        'a.json': text.slice(0, -3),
        'b.json': [forked(uuid(50))],
        'c.zip': new Blob(['PK\u0003\u0004nothing']),
      }),
    )
    expect(report.keys).toEqual([`chatgpt:${uuid(50)}`])
    expect(report.skipped.map(({ file, line, reason }) => [file, line, reason.slice(0, 16)])).toEqual([
      ['a.json', 0, 'This is not JSON'],
      ['c.zip', 0, 'The archive c.zi'],
    ])
    expect((await store.listSessions()).total).toBe(1)
  })

  it('may be hostile in its names, members and depth', async () => {
    const store = openStore()
    const deep = `${'{"a":'.repeat(5000)}1${'}'.repeat(5000)}`
    const hostile = `[{"__proto__":{"polluted":true},"id":"../x","conversation_id":"../x","title":"\\ud800","create_time":1e999,"update_time":"NaN","mapping":{"__proto__":{"id":"__proto__","parent":null,"message":${JSON.stringify(chatSays(1, 'user', 'one'))}},"b":{"parent":"__proto__","message":${JSON.stringify(chatSays(2, 'assistant', 'two'))}},"c":{"parent":"b","message":{"author":null,"content":[],"metadata":5}},"d":7}},${deep},[],null,"x"]`
    const report = await importFiles(store, [{ path: '../../etc/passwd', blob: zipOf({ '../../../x.json': hostile }) }])
    expect(report.keys).toEqual(['chatgpt:../x'])
    expect(report).toMatchObject({ added: 2, known: 0, skippedCount: 4 })
    expect(await said(store, 'chatgpt:../x')).toEqual(['user: one', 'assistant: two'])
    expect(({} as Record<string, unknown>)['polluted']).toBe(undefined)
    expect((await store.verify()).problems).toEqual([])
  })

  it('may have a line of any length', async () => {
    const store = openStore()
    const piece = new Blob(['x'.repeat(1024 * 1024)])
    const line = new Blob([
      '{"type":"user","sessionId":"s","uuid":"u","message":"',
      ...Array.from({ length: 40 }, () => piece),
      '"}\n',
      '{"type":"user","sessionId":"s","uuid":"v","message":{"role":"user","content":"after"}}\n',
    ])
    const report = await importFiles(store, line)
    expect(report.keys).toEqual(['claude-code:s'])
    expect(report.skipped).toEqual([{ line: 1, reason: `it has ${40 * 1024 * 1024 + 55} bytes; the limit is 16 MiB` }])
  })
})

function linesOfText(values: readonly unknown[]): string {
  return values.map((value) => `${JSON.stringify(value)}\n`).join('')
}
