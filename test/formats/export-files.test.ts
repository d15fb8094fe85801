import { expect, it, vi } from 'vitest'
import type { ExportFormat } from '../../src/contract/job.ts'
import { exportFiles } from '../../src/formats/export-files.ts'
import { messageText } from '../../src/domain/title.ts'
import { importFiles } from '../../src/formats/import-files.ts'
import { openStore } from './support/picoclaw-files.ts'

vi.setConfig({ testTimeout: 30_000 })

const said = ['Why is the sky blue?', 'Because of Rayleigh.', 'And the sea?', 'It mirrors it.']

async function filled() {
  const store = openStore()
  for (const key of ['one', 'two']) {
    for (const [i, content] of said.entries()) await store.addMessage(key, i % 2 === 0 ? 'user' : 'assistant', `${key}: ${content}`)
    await store.updateMeta(key, { agentId: 'main' })
  }
  return store
}

/** Those that come back as sessions; Markdown is for people. */
const formats: readonly ExportFormat[] = ['archive', 'pi', 'picoclaw', 'ai-panel', 'aixgo', 'openai', 'openai-lines']

it.each(formats.flatMap((format) => (['files', 'zip'] as const).map((as) => [format, as] as const)))('what is written as %s (%s) is known by its content, and comes in again', async (format, as) => {
  const files = await exportFiles(await filled(), format, { as })
  const store = openStore()
  const report = await importFiles(store, files)
  expect(report).toMatchObject({ known: 0, skipped: [] })
  expect(new Set(report.sessions.map(({ dialect }) => dialect))).toEqual(new Set([{ archive: 'keepsession', 'openai-lines': 'openai' }[format as string] ?? format]))
  const histories = await Promise.all(report.keys.map(async (key) => (await store.getHistory(key)).map(({ content }) => messageText(content))))
  expect(histories.toSorted()).toEqual(['one', 'two'].map((key) => said.map((content) => `${key}: ${content}`)))
  expect(await importFiles(store, files)).toMatchObject({ added: 0, skipped: [] })
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
  const report = await importFiles(store, [{ path: 'torn.zip', blob: archive!.blob.slice(0, archive!.blob.size - 30) }, { path: 'a.json', blob: new Blob(['{"id": "x", "full_chat_history": [{"role": "user", "content": "Hi"}]}']) }])
  expect(report.keys).toEqual(['agently:x'])
  expect(report.skipped.map(({ file }) => file)).toEqual(['torn.zip'])
})

it('writes the sessions asked for, and refuses one that is not there', async () => {
  const store = await filled()
  expect((await exportFiles(store, 'markdown', { keys: ['two'] })).map(({ path }) => path)).toHaveLength(1)
  await expect(exportFiles(store, 'archive', { keys: ['nobody'] })).rejects.toMatchObject({ name: 'SessionNotFound' })
  await expect(exportFiles(store, 'pi', { signal: AbortSignal.abort() })).rejects.toMatchObject({ name: 'Aborted' })
})
