import { expect, it, vi } from 'vitest'
import type { ExportFormat } from '../../src/contract/job.ts'
import { messageText } from '../../src/domain/title.ts'
import { exportFiles } from '../../src/files/export-files.ts'
import { importFiles } from '../../src/files/import-files.ts'
import { openStore } from './support/picoclaw-files.ts'

vi.setConfig({ testTimeout: 30_000 })

const said = ['Why is the sky blue?', 'Because of Rayleigh.', 'And the sea?', 'It mirrors it.']

async function filled() {
  const store = openStore()
  for (const key of ['one', 'two']) {
    for (const [i, content] of said.entries())
      await store.addMessage(key, i % 2 === 0 ? 'user' : 'assistant', `${key}: ${content}`)
    await store.updateMeta(key, { agentId: 'main' })
  }
  return store
}

/** Those that come back as sessions; Markdown is for people. */
const formats: readonly ExportFormat[] = ['archive', 'pi', 'picoclaw', 'ai-panel', 'aixgo', 'openai', 'openai-lines']

it.each(formats.flatMap((format) => (['files', 'zip'] as const).map((as) => [format, as] as const)))(
  'what is written as %s (%s) is known by its content, and comes in again',
  async (format, as) => {
    const files = await exportFiles(await filled(), format, { as })
    const store = openStore()
    const report = await importFiles(store, files)
    expect(report).toMatchObject({ known: 0, skipped: [] })
    expect(new Set(report.sessions.map(({ dialect }) => dialect))).toEqual(
      new Set([{ archive: 'keepsession', 'openai-lines': 'openai' }[format as string] ?? format]),
    )
    const histories = await Promise.all(
      report.keys.map(async (key) => (await store.getHistory(key)).map(({ content }) => messageText(content))),
    )
    expect(histories.toSorted()).toEqual(['one', 'two'].map((key) => said.map((content) => `${key}: ${content}`)))
    expect(await importFiles(store, files)).toMatchObject({ added: 0, skipped: [] })
  },
)

it.each([...formats, 'markdown', 'agently'] as const)('tells how far it is as it writes %s', async (format) => {
  const told: number[] = []
  await exportFiles(await filled(), format, { onProgress: ({ entries }) => told.push(entries) })
  expect(told.at(-1)).toBe(2)
})

it('refuses a format that nothing writes, and names those there are', async () => {
  const format = 'word' as ExportFormat
  await expect(exportFiles(openStore(), format)).rejects.toMatchObject({
    name: 'InvalidInput',
    message: expect.stringContaining('"word". Pass one of archive, pi, picoclaw'),
  })
})

it.each(formats)('a dry run of what is written as %s writes nothing', async (format) => {
  const files = await exportFiles(await filled(), format)
  const store = openStore()
  const report = await importFiles(store, files, { dryRun: true })
  expect(report.keys).toHaveLength(2)
  expect(report.added).toBeGreaterThanOrEqual(8)
  expect((await store.listSessions({ limit: 10 })).total).toBe(0)
})

it('one that is damaged costs only itself', async () => {
  const [archive] = await exportFiles(await filled(), 'archive')
  const store = openStore()
  const report = await importFiles(store, [
    { path: 'torn.zip', blob: archive!.blob.slice(0, archive!.blob.size - 30) },
    { path: 'a.json', blob: new Blob(['{"id": "x", "full_chat_history": [{"role": "user", "content": "Hi"}]}']) },
  ])
  // Its sessions are complete, and only its directory is torn.
  expect(report.keys.toSorted()).toEqual(['agently:x', 'one', 'two'])
  expect(report.skipped).toMatchObject([{ file: 'torn.zip', reason: expect.stringContaining('incomplete') as unknown }])
  await expect(importFiles(openStore(), archive!.blob.slice(0, 50))).rejects.toMatchObject({ name: 'InvalidInput' })
})

it('writes the sessions asked for, and refuses one that is not there', async () => {
  const store = await filled()
  expect((await exportFiles(store, 'markdown', { keys: ['two'] })).map(({ path }) => path)).toHaveLength(1)
  await expect(exportFiles(store, 'archive', { keys: ['nobody'] })).rejects.toMatchObject({ name: 'SessionNotFound' })
  await expect(exportFiles(store, 'pi', { signal: AbortSignal.abort() })).rejects.toMatchObject({ name: 'Aborted' })
})

it('what lies in an archive beside its sessions is none, whatever it looks like', async () => {
  const store = await filled()
  const hash = await store.putBlob(new Blob([JSON.stringify([{ role: 'user', content: 'an attachment' }])]))
  await store.addFullMessage('one', { role: 'user', content: [{ type: 'file', hash }] })
  const [archive] = await exportFiles(store, 'archive')
  const copy = openStore()
  expect(await importFiles(copy, [archive!])).toMatchObject({ skipped: [] })
  expect((await copy.listSessions()).sessions.map(({ key }) => key).toSorted()).toEqual(['one', 'two'])
})

it('a directory that nobody can read costs only itself', async () => {
  const checkpoint = {
    path: 'lonely.json',
    blob: new Blob([
      JSON.stringify({ id: 'c', entryId: 'e', sessionId: 's', checksum: 'x', timestamp: '2026-01-01T00:00:00Z' }),
    ]),
  }
  const store = openStore()
  const report = await importFiles(store, [
    { path: 'a.json', blob: new Blob(['{"id": "x", "full_chat_history": [{"role": "user", "content": "Hi"}]}']) },
    checkpoint,
  ])
  expect(report.keys).toEqual(['agently:x'])
  expect(report.skipped.map(({ file }) => file)).toContain('lonely.json')
})

it('an id of a file that could be the key of a session here is no alias of its', async () => {
  const store = openStore()
  await store.addMessage('chatgpt:1', 'user', 'mine')
  const index = {
    sessions: {
      'chatgpt:1': {
        id: 'chatgpt:1',
        agentId: 'a',
        filePath: 'x.jsonl',
        title: 'T',
        messageCount: 1,
        createdAt: 1,
        lastAt: 1,
        tokenEstimate: 1,
      },
    },
  }
  const log = [
    '{"type":"session","version":3,"agentId":"a","createdAt":1}',
    '{"type":"message","message":{"role":"user","content":"theirs"},"timestamp":1}',
  ].join('\n')
  await importFiles(store, [
    { path: 'a/sessions.json', blob: new Blob([JSON.stringify(index)]) },
    { path: 'a/x.jsonl', blob: new Blob([log]) },
  ])
  expect(await store.resolveSessionKey('chatgpt:1')).toBe('chatgpt:1')
  expect((await store.getHistory('chatgpt:1')).map(({ content }) => content)).toEqual(['mine'])
})
