import { describe, expect, it } from 'vitest'
import type { JsonObject } from '../../src/contract/json.ts'
import { createImportFixture } from './support/import-fixture.ts'
import { assistant, entry, header, idAt, linear, msAt, sourceId, sourceKey, timeAt, user } from './support/pi-file.ts'

/** Every type of entry, in one line. */
const everyType: readonly JsonObject[] = [
  header({ parentSession: '/sessions/old.jsonl' }),
  entry(1, null, 'model_change', { provider: 'anthropic', modelId: 'claude' }),
  entry(2, 1, 'thinking_level_change', { thinkingLevel: 'high' }),
  user(3, 2),
  entry(4, 3, 'message', {
    message: {
      role: 'assistant',
      content: [{ type: 'toolCall', id: 'call_1', name: 'read', arguments: { path: 'x' } }],
      timestamp: msAt(4),
    },
  }),
  entry(5, 4, 'message', {
    message: {
      role: 'toolResult',
      toolCallId: 'call_1',
      toolName: 'read',
      content: [{ type: 'image', data: 'AA==', mimeType: 'image/png' }],
      isError: false,
    },
  }),
  entry(6, 5, 'message', { message: { role: 'bashExecution', command: 'ls', output: 'a', exitCode: 1 } }),
  entry(7, 6, 'compaction', {
    summary: 'What was.',
    firstKeptEntryId: idAt(5),
    tokensBefore: 50,
    details: { readFiles: ['a'] },
  }),
  entry(8, 7, 'branch_summary', { fromId: idAt(3), summary: 'Tried.' }),
  entry(9, 8, 'custom', { customType: 'mine', data: { count: 1 } }),
  entry(10, 9, 'custom_message', { customType: 'mine', content: 'Injected', display: false }),
  entry(11, 10, 'label', { targetId: idAt(3), label: 'here' }),
  entry(12, 11, 'session_info', { name: ' Trains ' }),
  entry(13, 12, 'usage', { input: 3 }),
  entry(14, 13, 'context_edit', { targetId: idAt(3), replacement: null }),
  entry(15, 14, 'edit', { order: 'not ours' }),
  entry(16, 15, 'from the future', { what: [1, { deep: true }] }),
]

describe('an imported log', () => {
  it('has every type of entry, with all it says', async () => {
    const { run, line, store } = createImportFixture()
    const report = await run(everyType)
    expect(report).toEqual({ keys: [sourceKey], added: 16, known: 0, skipped: [], skippedCount: 0, leftDeleted: [] })
    const raw = await line('raw')
    const expected = everyType.slice(1).filter(({ type }) => type !== 'compaction')
    expect(raw.map(({ type, mid, at }) => [type, mid, at])).toEqual(
      expected.map(({ type, id, timestamp }) => [
        type === 'edit' ? 'foreign-edit' : type,
        id,
        Date.parse(timestamp as string),
      ]),
    )
    raw.forEach((view, i) => {
      const { type: _, id, parentId: __, timestamp: ___, ...data } = expected[i]!
      expect(view.message === undefined ? view.data : { message: view.message, mid: view.mid }).toEqual({
        ...data,
        mid: id,
      })
    })
    const [compaction] = await store.findByMid(sourceKey, [idAt(7)])
    expect(compaction?.data).toMatchObject({
      summary: 'What was.',
      firstKeptEntryId: idAt(5),
      tokensBefore: 50,
      details: { readFiles: ['a'] },
    })
  })

  it('shows a model what pi would show it', async () => {
    const { run, ids, store } = createImportFixture()
    await run(everyType)
    expect((await ids('context')).slice(0, 2)).toEqual([idAt(5), idAt(6)])
    expect(await store.getSummary(sourceKey)).toBe('What was.')
  })

  it('has the id, the alias, the name and the header of its source', async () => {
    const { run, store } = createImportFixture()
    await run(everyType)
    expect(await store.getMeta(sourceKey)).toMatchObject({
      key: sourceKey,
      id: sourceId,
      aliases: [sourceId],
      title: 'Trains',
      titleSource: 'user',
      custom: {
        pi: { version: 3, timestamp: timeAt(0), cwd: '/home/mara/trains', parentSession: '/sessions/old.jsonl' },
      },
      createdAt: msAt(0),
      updatedAt: msAt(16),
    })
    expect(await store.resolveSessionKey(sourceId)).toBe(sourceKey)
  })

  it('shows its branches, and the line of the last entry', async () => {
    const { run, ids, store } = createImportFixture()
    // 1 ─ 2 ─ 3 ─ 4          compaction 5 keeps from 3
    //     │       └ 5 ─ 6
    //     ├ 7 ─ 8
    //     │   └ 9            9 continues 7 after 8 did
    //     └ 10               the last entry
    await run([
      header(),
      user(1, null),
      assistant(2, 1),
      user(3, 2),
      assistant(4, 3),
      entry(5, 4, 'compaction', { summary: 'one and two', firstKeptEntryId: idAt(3), tokensBefore: 9 }),
      user(6, 5),
      user(7, 2),
      assistant(8, 7),
      assistant(9, 7),
      user(10, 2),
    ])
    const branches = await store.listBranches(sourceKey)
    const lines = await Promise.all(
      branches.map(async ({ id, isHead }) => ({
        isHead,
        raw: await ids('raw', id),
        context: await ids('context', id),
      })),
    )
    const at = (...numbers: number[]): string[] => numbers.map(idAt)
    expect(lines).toEqual([
      { isHead: false, raw: at(1, 2, 3, 4, 6), context: at(3, 4, 6) },
      { isHead: false, raw: at(1, 2, 7, 8), context: at(1, 2, 7, 8) },
      { isHead: false, raw: at(1, 2, 7, 9), context: at(1, 2, 7, 9) },
      { isHead: true, raw: at(1, 2, 10), context: at(1, 2, 10) },
    ])
  })

  it('keeps a time that is written in another way', async () => {
    const { run, line } = createImportFixture()
    await run([
      header(),
      { ...user(1, null), timestamp: '2026-03-14T09:00:01+01:00' },
      { ...entry(2, 1, 'custom', {}), timestamp: msAt(2) },
      { ...user(3, 2), timestamp: 'yesterday' },
      entry(4, 3, 'custom', {}),
    ])
    expect((await line()).map(({ at }) => at)).toEqual([msAt(1), msAt(2), msAt(3), msAt(4)])
    expect((await line()).map(({ data }) => data?.['timestamp'])).toEqual([undefined, msAt(2), undefined, undefined])
  })
})

describe('the title of an imported log', () => {
  it('is the last name it was given', async () => {
    const { run, store } = createImportFixture()
    await run([
      header(),
      user(1, null),
      entry(2, 1, 'session_info', { name: 'one' }),
      entry(3, 2, 'session_info', { name: 'two' }),
    ])
    expect((await store.getMeta(sourceKey))?.title).toBe('two')
  })

  it('is made of the first message when the name was taken away', async () => {
    const { run, store } = createImportFixture()
    await run([
      header(),
      user(1, null, 'Why?'),
      entry(2, 1, 'session_info', { name: 'one' }),
      entry(3, 2, 'session_info', { name: '' }),
    ])
    expect(await store.getMeta(sourceKey)).toMatchObject({ title: 'Why?', titleSource: 'auto' })
  })

  it('stays what a user of this app chose, whatever the file says later', async () => {
    const { run, store } = createImportFixture()
    const file = [header(), ...linear(4), entry(5, 4, 'session_info', { name: 'theirs' })]
    await run(file)
    await store.updateMeta(sourceKey, { title: 'mine' })
    await run([...file, entry(6, 5, 'session_info', { name: 'theirs again' })])
    expect((await store.getMeta(sourceKey))?.title).toBe('mine')
  })
})
