import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { opaqueKey } from '../../src/domain/identity/session-key.ts'
import { contents, exported, importFiles, openStore, readDirectory } from './support/picoclaw-files.ts'

/** A real directory, which is not part of this repository: it lies beside its checkout. */
const directory = fileURLToPath(new URL('../../../shared/samples/picoclaw-sessions', import.meta.url))
const isThere = existsSync(directory)

it.skipIf(!isThere)(
  isThere
    ? 'a real directory comes in, case for case'
    : 'a real directory comes in, case for case (skipped: there is no ../shared/samples/picoclaw-sessions)',
  async () => {
    const files = readDirectory(directory)
    const store = openStore()
    const report = await importFiles(store, files)
    const slack = 'sk_v1_c56e7b6e68705d228463a895f86cee5e1aae41a967409ac527032a3c0ea83de0'
    const forum = 'agent:main:telegram:group:-1001234567890/42'
    expect(report.keys.toSorted()).toEqual(
      [forum, 'corrupt_middle', 'crash_stale_count', 'crash_torn_tail', slack, 'telegram:123', 'truncated'].sort(),
    )
    expect(report.skipped).toEqual([
      { file: 'broken_legacy.json', line: 0, reason: expect.stringContaining('not JSON') },
      { file: 'corrupt_middle.jsonl', line: 2, reason: expect.stringContaining('not JSON') },
      { file: 'corrupt_middle.jsonl', line: 3, reason: expect.stringContaining('only reasoning without a reply') },
      { file: 'crash_torn_tail.jsonl', line: 2, reason: expect.stringContaining('is incomplete') },
    ])
    const lines = (name: string): unknown[] =>
      files[name]!.trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line) as unknown)
    expect(await store.getHistory(forum)).toEqual(lines('agent_main_telegram_group_-1001234567890_42.jsonl'))
    expect(await contents(store, 'corrupt_middle')).toEqual(['1', '2', '3'])
    expect(await contents(store, 'crash_stale_count')).toEqual(['a', 'orphan'])
    expect(await contents(store, 'crash_torn_tail')).toEqual(['valid'])
    expect(await contents(store, 'truncated')).toEqual(['msg 6', 'msg 7', 'msg 8', 'msg 9'])
    expect(await store.getSummary('truncated')).toBe('first six messages')
    expect(await contents(store, 'agent:main:slack:channel:c001')).toEqual(['hello canonical'])
    expect(await store.getMeta(slack)).toMatchObject({
      scope: (JSON.parse(files[`${slack}.meta.json`]!) as { scope: unknown }).scope,
      aliases: ['agent:main:main', 'agent:main:slack:channel:c001'],
      agentId: 'main',
    })
    expect(await store.resolveSessionKey('agent:main:main')).toBe(opaqueKey('agent:main:main'))
    expect(await store.getHistory('telegram:123')).toEqual(
      (JSON.parse(files['telegram_123.json']!) as { messages: unknown }).messages,
    )
    expect(await store.getSummary('telegram:123')).toBe('A greeting.')

    await store.addMessage('crash_torn_tail', 'user', 'after the crash')
    expect(await contents(store, 'crash_torn_tail')).toEqual(['valid', 'after the crash'])
    expect(await importFiles(store, files)).toMatchObject({ added: 0, known: report.added })

    const out = await exported(store)
    for (const name of ['agent_main_telegram_group_-1001234567890_42', slack, 'truncated']) {
      for (const ending of ['.jsonl', '.meta.json']) expect(out[name + ending]).toBe(files[name + ending])
    }
  },
)
