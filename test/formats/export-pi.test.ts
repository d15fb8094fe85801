import { existsSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import fc from 'fast-check'
import { describe, expect, it, vi } from 'vitest'
import type { JsonObject } from '../../src/contract/json.ts'
import type { SessionStore } from '../../src/contract/store/session-store.ts'
import { exportPi } from '../../src/dialects/pi/format/export-pi.ts'
import { importPi } from '../../src/dialects/pi/format/import-pi.ts'
import { foldEntries } from '../../src/domain/fold.ts'
import { labelsOf } from '../../src/domain/labels-of.ts'
import type { ExportOptions } from '../../src/formats/export-sessions.ts'
import { readEntries } from '../../src/formats/read-log-entries.ts'
import { buildSessionContext, isSent, type PiEntry, piFiles } from '../model/support/pi-session.ts'
import { contextAt } from '../support/context-at.ts'
import {
  assistant,
  bare,
  bytesOf,
  entry,
  header,
  headerV1,
  inPieces,
  linear,
  sourceId,
  sourceKey,
  timeAt,
  user,
} from './support/pi-file.ts'
import { openStore } from './support/picoclaw-files.ts'

vi.setConfig({ testTimeout: 60_000 })

async function exportedLines(store: SessionStore, options?: ExportOptions): Promise<JsonObject[][]> {
  const files: JsonObject[][] = []
  for await (const { blob } of exportPi(store, options))
    files.push(
      (await blob.text())
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line) as JsonObject),
    )
  return files
}

const importLines = (store: SessionStore, lines: readonly JsonObject[]) =>
  importPi(store, inPieces(bytesOf(lines), 4096))

async function roundTrip(
  lines: readonly JsonObject[],
): Promise<{ readonly store: SessionStore; readonly out: JsonObject[] }> {
  const store = openStore()
  await importLines(store, lines)
  const [out] = await exportedLines(store)
  return { store, out: out! }
}

const byId = (lines: readonly JsonObject[]): JsonObject[] =>
  [...lines].sort((a, b) => (String(a['id']) < String(b['id']) ? -1 : 1))

/** A line as the reference that builds contexts has it. */
const piEntry = ({ id, parentId, type, timestamp: _, firstKeptEntryId, ...data }: JsonObject): PiEntry => ({
  id: id as string,
  parentId: parentId as string | null,
  type: type as string,
  data,
  ...(typeof firstKeptEntryId === 'string' ? { firstKeptEntryId } : {}),
})

/** What a model got here at an entry, as ids. */
async function contextHere(store: SessionStore, key: string, id: string): Promise<unknown> {
  const entries = await readEntries(store, key)
  const fold = foldEntries(entries)
  const { compaction, rows } = contextAt(fold.cold, fold.rows, entries.find(({ data }) => data['mid'] === id)!)
  return [
    ...(compaction === undefined ? [] : [compaction.data['mid']]),
    ...rows.filter(isSent).map(({ data }) => data['mid']),
  ]
}

describe('an imported log', () => {
  const path = fileURLToPath(new URL('../../../shared/samples/tree-v3.jsonl', import.meta.url))
  const isThere = existsSync(path)
  it.skipIf(!isThere)(
    isThere
      ? 'of pi itself comes out line for line, and gives the right context at every entry'
      : 'of pi itself comes out line for line (skipped: there is no ../shared/samples/tree-v3.jsonl)',
    async () => {
      const lines = readFileSync(path, 'utf8')
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line) as JsonObject)
      const { store, out } = await roundTrip(lines)
      expect(out).toEqual(lines)
      for (const { id } of lines.slice(1)) {
        const { sent } = buildSessionContext(lines.slice(1).map(piEntry), id as string)
        expect(await contextHere(store, `pi:${lines[0]!['id'] as string}`, id as string)).toEqual(sent)
      }
    },
  )

  it.skipIf(!isThere).each(['tree-v3', 'large-session'])(
    '%s of the samples, exported, comes in again as the same entries',
    async (name) => {
      const text = readFileSync(
        fileURLToPath(new URL(`../../../shared/samples/${name}.jsonl`, import.meta.url)),
        'utf8',
      )
      const lines = text
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line) as JsonObject)
      const { store, out } = await roundTrip(lines)
      const again = await roundTrip(out)
      const key = `pi:${lines[0]!['id'] as string}`
      const entries = async (of: SessionStore): Promise<unknown> =>
        (await readEntries(of, key)).filter(({ type }) => type !== 'meta')
      expect(await entries(again.store)).toEqual(await entries(store))
      expect(again.out).toEqual(out)
      expect(await importLines(store, out)).toMatchObject({ added: 0, skipped: [] })
    },
  )

  it('keeps what it says of itself, and types that mean something else here', async () => {
    const lines = [
      header({ parentSession: '/old.jsonl' }),
      user(1, null),
      entry(2, 1, 'head', { branch: 'x' }),
      entry(3, 2, 'new_type', { any: [1] }),
      { ...assistant(4, 3), timestamp: '2026-03-14T09:00:04+01:00' },
      entry(5, 4, 'label', { targetId: 'id000001', label: 'L' }),
    ]
    expect((await roundTrip(lines)).out).toEqual(lines)
  })

  it('has its last line at the end, wherever that hangs, because pi goes on from there', async () => {
    const lines = [header(), user(1, null), assistant(2, 1), user(3, 2), user(4, 1)]
    const shuffled = [lines[0]!, lines[2]!, lines[3]!, lines[4]!, lines[1]!]
    const { out } = await roundTrip(shuffled)
    expect(out.at(-1)).toEqual(lines[1])
    expect(byId(out)).toEqual(byId(lines))
  })

  it('of version 1 becomes version 3, with the same compaction', async () => {
    const compaction = {
      type: 'compaction',
      timestamp: timeAt(5),
      summary: 'S',
      firstKeptEntryIndex: 3,
      tokensBefore: 9,
    }
    const { out, store } = await roundTrip([headerV1(), ...linear(4).map(bare), compaction, bare(user(6, 5))])
    expect(out[0]).toMatchObject({ type: 'session', version: 3, id: sourceId, cwd: '/home/mara/trains' })
    expect(out.map(({ id, parentId }) => [id, parentId]).slice(1, 4)).toEqual([
      ['line-2', null],
      ['line-3', 'line-2'],
      ['line-4', 'line-3'],
    ])
    expect(out[5]).toMatchObject({ type: 'compaction', firstKeptEntryId: 'line-4', parentId: 'line-5' })
    const other = openStore()
    await importLines(other, out)
    expect(await other.getHistory(sourceKey)).toEqual(await store.getHistory(sourceKey))
  })

  it('adds nothing where it came from', async () => {
    const lines = [header(), ...linear(4), user(5, 2), entry(6, 5, 'session_info', { name: 'N' })]
    const { store, out } = await roundTrip(lines)
    expect(await importLines(store, out)).toMatchObject({ added: 0, known: 6 })
  })

  it('comes out and in again as the same log, whatever its tree', async () => {
    await fc.assert(
      fc.asyncProperty(piFiles(true), async (file) => {
        const lines = [
          header(),
          ...file.map(({ id, parentId, type, data, firstKeptEntryId }, i) => ({
            type,
            id,
            parentId,
            timestamp: timeAt(i),
            ...data,
            ...(firstKeptEntryId === undefined ? {} : { firstKeptEntryId }),
            ...(type === 'message' && (data['message'] as JsonObject)['role'] === 'assistant'
              ? { message: { ...(data['message'] as JsonObject), content: [{ type: 'text', text: id }] } }
              : {}),
          })),
        ]
        const { store, out } = await roundTrip(lines)
        expect(byId(out)).toEqual(byId(lines))
        expect(out.at(-1)).toEqual(lines.at(-1))
        const again = await roundTrip(out)
        expect(again.out).toEqual(out)
        expect(await again.store.getHistory(sourceKey)).toEqual(await store.getHistory(sourceKey))
      }),
      { numRuns: 150 },
    )
  })

  it('that two devices brought in at different times comes out once', async () => {
    const lines = [header(), ...linear(6)]
    const [one, two] = [openStore(), openStore()]
    await importLines(one, lines.slice(0, 4))
    await importLines(one, lines)
    await importLines(two, lines)
    await one.merge(sourceKey, await readEntries(two, sourceKey))
    const [out] = await exportedLines(one)
    expect(byId(out!)).toEqual(byId(lines))
  })
})

describe('a session of this app', () => {
  const say = (role: string, content: string, more: JsonObject = {}) => ({
    type: 'message' as const,
    message: { role, content, ...more },
  })

  it('comes out in a shape that pi reads', async () => {
    const store = openStore()
    await store.append('k', [
      say('user', 'q'),
      say('assistant', 'let me see', {
        tool_calls: [{ id: 'c', type: 'function', function: { name: 'read', arguments: '{"path":"x"}' } }],
        reasoning_content: 'hm',
      }),
      say('tool', 'found', { tool_call_id: 'c' }),
      say('assistant', 'done', { model_name: 'm' }),
    ])
    const [out] = await exportedLines(store)
    const at = Date.UTC(2026, 8, 1)
    expect(out!.map(({ message }) => message)).toEqual([
      undefined,
      { role: 'user', content: 'q', timestamp: at },
      expect.objectContaining({
        role: 'assistant',
        content: [
          { type: 'thinking', thinking: 'hm' },
          { type: 'text', text: 'let me see' },
          { type: 'toolCall', id: 'c', name: 'read', arguments: { path: 'x' } },
        ],
        stopReason: 'toolUse',
        timestamp: at,
      }),
      {
        role: 'toolResult',
        toolCallId: 'c',
        toolName: 'read',
        content: [{ type: 'text', text: 'found' }],
        isError: false,
        timestamp: at,
      },
      expect.objectContaining({
        role: 'assistant',
        content: [{ type: 'text', text: 'done' }],
        model: 'm',
        stopReason: 'stop',
      }),
    ])
  })

  it('comes back with the same branches, contexts, summary and title', async () => {
    const store = openStore()
    for (let n = 0; n < 4; n++) await store.append('k', [say('user', `q${n}`), say('assistant', `a${n}`)])
    const { entries } = await store.read('k', { after: '' })
    await store.setCompaction('k', { summary: 'before', keepLast: 4 })
    await store.append('k', [say('user', 'after')])
    await store.openBranch('k', { after: entries[1]! })
    await store.append('k', [say('user', 'other way')])
    await store.updateMeta('k', { title: 'Mine' })
    const [out] = await exportedLines(store)
    const other = openStore()
    await importLines(other, out!)
    const texts = async (from: SessionStore, key: string): Promise<unknown> =>
      (await from.getHistory(key)).map(({ content }) =>
        typeof content === 'string' ? content : (content as unknown as { text: string }[])[0]!.text,
      )
    expect(await texts(other, 'pi:k')).toEqual(await texts(store, 'k'))
    // The branch leaves inside what was summarised.
    expect(await texts(other, 'pi:k')).toEqual(['q0', 'a0', 'other way'])
    expect([await store.getSummary('k'), await other.getSummary('pi:k')]).toEqual(['', ''])
    expect((await other.getMeta('pi:k'))?.title).toBe('Mine')
    await store.switchBranch('k', '')
    await other.switchBranch('pi:k', '')
    expect(await texts(other, 'pi:k')).toEqual(await texts(store, 'k'))
    expect(await texts(other, 'pi:k')).toEqual(['q2', 'a2', 'q3', 'a3', 'after'])
    expect(await other.getSummary('pi:k')).toBe('before')
  })

  it('names entries by their ids in the file, and has the same labels when it comes back', async () => {
    const store = openStore()
    const { entries } = await store.append('k', [
      { ...say('user', 'q'), mid: 'host-q' },
      { ...say('assistant', 'a'), mid: 'host-a' },
      { ...say('user', 'again'), mid: 'host-q' },
      say('assistant', 'last'),
    ])
    const [q, a, again, last] = entries.map(({ id }) => id) as [string, string, string, string]
    for (const [id, label] of [
      [a, 'A'],
      [again, 'AGAIN'],
      [last, 'LAST'],
    ])
      await store.append('k', [{ type: 'label', data: { targetId: id!, label: label! } }])
    await store.append('k', [
      { type: 'branch_summary', data: { fromId: a, summary: 'S' } },
      { type: 'label', data: { targetId: 'nobody', label: 'N' } },
    ])
    const [out] = await exportedLines(store)
    expect(out!.slice(1).map(({ id, targetId, fromId }) => [id, targetId ?? fromId])).toMatchObject([
      ['host-q', undefined],
      ['host-a', undefined],
      [again, undefined],
      [last, undefined],
      [expect.anything(), 'host-a'],
      [expect.anything(), again],
      [expect.anything(), last],
      [expect.anything(), 'host-a'],
      [expect.anything(), 'nobody'],
    ])
    expect(q).not.toBe(again)
    const other = openStore()
    await importLines(other, out!)
    const rows = (await other.read('pi:k', { after: '', view: 'raw', limit: 100 })).entries
    const labels = labelsOf(rows)
    expect(
      rows.flatMap(({ id, message, mid }) => (labels.has(id) ? [[mid, labels.get(id), message?.role]] : [])),
    ).toEqual([
      ['host-a', 'A', 'assistant'],
      [again, 'AGAIN', 'user'],
      [last, 'LAST', 'assistant'],
    ])
    expect((await exportedLines(other))[0]).toEqual(out)
  })

  it('leaves out what was cut or removed, and what follows hangs from what is seen before it', async () => {
    const store = openStore()
    for (let n = 0; n < 3; n++) await store.append('k', [say('user', `q${n}`), say('assistant', `a${n}`)])
    const { entries } = await store.read('k', { after: '' })
    await store.truncateHistory('k', 4)
    await store.remove('k', entries[3]!)
    await store.edit('k', entries[4]!, { role: 'user', content: 'better' })
    await store.setSummary('k', 'so far')
    const [out] = await exportedLines(store)
    expect(
      out!
        .slice(1)
        .map(({ type, id, parentId, message }) => [
          type,
          id,
          parentId,
          (message as JsonObject | undefined)?.['content'],
        ]),
    ).toEqual([
      ['message', entries[2]!.id, null, 'q1'],
      ['message', entries[4]!.id, entries[2]!.id, 'better'],
      ['message', entries[5]!.id, entries[4]!.id, [{ type: 'text', text: 'a2' }]],
      ['compaction', 'summary', entries[5]!.id, undefined],
    ])
    const other = openStore()
    await importLines(other, out!)
    expect((await other.getHistory('pi:k')).length).toBe(3)
    expect(await other.getSummary('pi:k')).toBe('so far')
  })

  it('keeps the summary of a compaction that was cut, as long as it counts', async () => {
    const store = openStore()
    for (let n = 0; n < 6; n++) await store.addMessage('k', 'user', `${n}`)
    await store.setCompaction('k', { summary: 'S', keepLast: 4 })
    for (const text of ['6', '7']) await store.addMessage('k', 'user', text)
    await store.truncateHistory('k', 1)
    const [out] = await exportedLines(store)
    const other = openStore()
    await importLines(other, out!)
    expect(await store.getSummary('k')).toBe('S')
    expect(await other.getSummary('pi:k')).toBe('S')
    expect((await other.getHistory('pi:k')).map(({ content }) => content)).toEqual(['7'])
  })

  it('is named by its time and id, as a file name can be', async () => {
    const store = openStore()
    await store.addMessage('a/../b:c', 'user', 'x')
    const paths: string[] = []
    for await (const { path } of exportPi(store)) paths.push(path)
    expect(paths).toEqual(['2026-09-01T00-00-00-000Z_a_.._b_c.jsonl'])
    const { value } = await exportPi(store, { as: 'zip' }).next()
    expect(value?.path).toBe('pi-sessions.zip')
  })
})

it('an export stops when it is asked to, tells how far it is, and refuses a session that is not there', async () => {
  const store = openStore()
  for (const key of ['a', 'b']) await store.addMessage(key, 'user', key)
  const ending = new AbortController()
  const progress: number[] = []
  const files = exportPi(store, {
    signal: ending.signal,
    onProgress: ({ sessions, totalSessions }) => progress.push(sessions, totalSessions),
  })
  await files.next()
  ending.abort()
  await expect(files.next()).rejects.toMatchObject({ name: 'Aborted' })
  expect(progress).toEqual([1, 2])
  await expect(exportPi(store, { keys: ['nobody'] }).next()).rejects.toMatchObject({ name: 'SessionNotFound' })
})
