import { existsSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Session } from '../../../src/client/session-contract.ts'
import type { JsonObject } from '../../../src/contract/json.ts'
import type { Message } from '../../../src/contract/message.ts'
import { importPi } from '../../../src/dialects/pi/format/import-pi.ts'
import { piSession } from '../../../src/dialects/pi/pi-session.ts'
import { convertToLlm } from '../../../src/dialects/pi/rules/convert-to-llm.ts'
import { pathContext } from '../../../src/dialects/pi/rules/path-context.ts'
import { foldEntries } from '../../../src/domain/fold.ts'
import { importTree } from '../../../src/domain/import-tree.ts'
import { pathTo } from '../../../src/domain/path-to.ts'
import { createSessionStore } from '../../../src/storage/create-session-store.ts'
import { createMemoryBackend } from '../../../src/storage/memory-backend.ts'
import { createImportFixture } from '../../formats/support/import-fixture.ts'
import {
  user as ask,
  entry,
  header,
  idAt,
  inPieces,
  msAt,
  assistant as reply,
  sourceKey,
} from '../../formats/support/pi-file.ts'
import { holds, patience } from '../../model/support/laws.ts'
import type { PiEntry } from '../../model/support/pi-session.ts'
import { buildSessionContext, nodeOf, piFiles } from '../../model/support/pi-session.ts'
import { openHandle } from '../support/open-handle.ts'
import { assistant, openSession, textsOf, user } from './support/open-session.ts'

const sample = fileURLToPath(new URL('../../../../shared/samples/tree-v3.jsonl', import.meta.url))

const largeSample = fileURLToPath(new URL('../../../../shared/samples/large-session.jsonl', import.meta.url))

/** What a model is told by each message, in short. */
async function told(session: Session, mid?: string | null): Promise<unknown> {
  const { messages, model, thinkingLevel } = await piSession(session).buildSessionContext(
    mid === null ? null : mid === undefined ? undefined : { mid },
  )
  return [
    convertToLlm(messages).map(({ content }) =>
      typeof content === 'string' ? content : ((content?.[0] as { text?: string } | undefined)?.text ?? ''),
    ),
    model?.modelId ?? null,
    thinkingLevel,
  ]
}

const summaryText = (text: string): string =>
  `The conversation history before this point was compacted into the following summary:\n\n<summary>\n${text}\n</summary>`
const branchText = (text: string): string =>
  `The following is a summary of a branch that this conversation came back from:\n\n<summary>\n${text}</summary>`

/** Every third reply was stopped before it said anything. */
function withEmptyReply(entry: PiEntry, i: number): PiEntry {
  const message = entry.data['message'] as Message | undefined
  return i % 3 === 0 && message?.role === 'assistant'
    ? { ...entry, data: { message: { ...message, content: [] } as JsonObject } }
    : entry
}

describe('the context at an entry of an imported tree', () => {
  it('is pi’s message for message, in its roles, with what led to nothing and what is kept from a model', async () => {
    const { store, run } = createImportFixture()
    const stopped = {
      role: 'assistant',
      content: [],
      provider: 'openai',
      model: 'gpt',
      stopReason: 'aborted',
      timestamp: msAt(2),
    }
    const thought = {
      role: 'assistant',
      content: '',
      reasoning_content: 'Hm.',
      provider: 'openai',
      model: 'gpt',
      timestamp: msAt(4),
    }
    const kept = {
      role: 'bashExecution',
      command: 'env',
      output: 'SECRET=1',
      exitCode: 0,
      cancelled: false,
      truncated: false,
      excludeFromContext: true,
      timestamp: msAt(5),
    }
    const shown = {
      role: 'bashExecution',
      command: 'ls',
      output: '',
      exitCode: 2,
      cancelled: false,
      truncated: false,
      timestamp: msAt(6),
    }
    const said = (n: number, parent: number, message: JsonObject) => entry(n, parent, 'message', { message })
    await run([
      header(),
      ask(1, null),
      said(2, 1, stopped),
      ask(3, 2),
      said(4, 3, thought),
      said(5, 4, kept),
      said(6, 5, shown),
      entry(7, 6, 'custom_message', { customType: 'notes', content: '', display: false }),
      entry(8, 7, 'compaction', { summary: 'They greeted.', firstKeptEntryId: idAt(5), tokensBefore: 12 }),
      entry(9, 8, 'custom_message', {
        customType: 'notes',
        content: [{ type: 'text', text: 'By the way' }],
        display: true,
        details: { from: 'mara' },
      }),
      entry(10, 2, 'branch_summary', { summary: 'It was tried.', fromId: idAt(9) }),
      entry(11, 10, 'branch_summary', { summary: '', fromId: 'root' }),
      entry(12, 11, 'compaction', { summary: '', firstKeptEntryId: idAt(2), tokensBefore: 5 }),
    ])
    const session = await openHandle(store, sourceKey)
    const question = (n: number) => ({ role: 'user', content: `question ${n}`, timestamp: msAt(n) })
    const empty = { role: 'custom', customType: 'notes', content: '', display: false, timestamp: msAt(7) }
    const at = async (n: number) => (await piSession(session).buildSessionContext({ mid: idAt(n) })).messages
    expect(await at(2)).toEqual([question(1), stopped])
    expect(await at(7)).toEqual([question(1), stopped, question(3), thought, kept, shown, empty])
    const summary = { role: 'compactionSummary', summary: 'They greeted.', tokensBefore: 12, timestamp: msAt(8) }
    const note = {
      role: 'custom',
      customType: 'notes',
      content: [{ type: 'text', text: 'By the way' }],
      display: true,
      details: { from: 'mara' },
      timestamp: msAt(9),
    }
    expect(await at(9)).toEqual([summary, kept, shown, empty, note])
    const tried = { role: 'branchSummary', summary: 'It was tried.', fromId: idAt(9), timestamp: msAt(10) }
    expect(await at(11)).toEqual([question(1), stopped, tried])
    expect((await piSession(session).buildSessionContext()).messages).toEqual([
      { role: 'compactionSummary', summary: '', tokensBefore: 5, timestamp: msAt(12) },
      stopped,
      tried,
    ])
  })

  it.skipIf(!existsSync(largeSample))(
    existsSync(largeSample)
      ? 'has every message of a long real log'
      : 'has every message of a long real log (skipped: there is no ../shared/samples/large-session.jsonl)',
    async () => {
      const bytes = readFileSync(largeSample)
      const store = createSessionStore(createMemoryBackend())
      const { keys } = await importPi(store, inPieces(bytes, 100_000))
      const session = await openHandle(store, keys[0]!)
      const { messages } = await piSession(session).buildSessionContext()
      // The log is a line without compactions, so that pi's rule is easily said.
      const lines = bytes
        .toString()
        .split('\n')
        .flatMap((line) =>
          line === '' ? [] : [JSON.parse(line) as { readonly type: string; readonly message: Message }],
        )
      expect(messages).toHaveLength(914)
      expect(messages).toEqual(lines.flatMap(({ type, message }) => (type === 'message' ? [message] : [])))
      for (const leaf of [2, 3, 500, 1018]) {
        const at = await piSession(session).buildSessionContext({ mid: `line-${leaf}` })
        expect(at.messages, `line ${leaf}`).toEqual(
          lines.slice(0, leaf).flatMap(({ type, message }) => (type === 'message' ? [message] : [])),
        )
      }
    },
  )

  it.skipIf(!existsSync(sample))(
    existsSync(sample)
      ? 'is pi’s for every branch of a real log'
      : 'is pi’s for every branch of a real log (skipped: there is no ../shared/samples/tree-v3.jsonl)',
    async () => {
      const store = createSessionStore(createMemoryBackend())
      const { keys } = await importPi(store, inPieces(readFileSync(sample)))
      const session = await openHandle(store, keys[0]!)
      expect(await told(session, '77dc5c20')).toEqual([['start'], null, 'off'])
      expect(await told(session, 'a23dba4e')).toEqual([['start', 'r1'], 'claude-test', 'high'])
      expect(await told(session, '619477f4')).toEqual([['start', 'r1', 'q2'], 'gpt-4o', 'high'])
      expect(await told(session, '02dc211f')).toEqual([['start', 'r1', 'q2', 'r2'], 'claude-test', 'high'])
      expect(await told(session, '8d6d0235')).toEqual([
        [summaryText('Compacted history'), 'q2', 'r2'],
        'claude-test',
        'high',
      ])
      expect(await told(session, '65ddfc46')).toEqual([
        [summaryText('Compacted history'), 'q2', 'r2', 'q3', '', 'file', 'Injected context'],
        'claude-test',
        'high',
      ])
      const other = [
        [
          'start',
          'r1',
          'q2',
          branchText('Tried the wrong approach'),
          'better approach',
          'r4',
          'Ran `ls`\n```\na\nb\n```\n\nCommand exited with code 1',
        ],
        'claude-test',
        'high',
      ]
      expect(await told(session, 'b50334be')).toEqual(other)
      expect(await told(session)).toEqual(other)
      expect(await told(session, 'unknown')).toEqual(other)
      expect(await told(session, null)).toEqual([[], null, 'off'])
    },
  )

  it('is pi’s on both sides of a fork below two compactions', async () => {
    const { store, run } = createImportFixture()
    const compaction = (n: number, parent: number, kept: number) =>
      entry(n, parent, 'compaction', { summary: `summary ${n}`, firstKeptEntryId: idAt(kept), tokensBefore: 9 })
    await run([
      header(),
      ask(1, null),
      reply(2, 1),
      ask(3, 2),
      compaction(4, 3, 3),
      reply(5, 4),
      ask(6, 5),
      compaction(7, 6, 6),
      reply(8, 7),
      ask(9, 5),
      entry(10, 9, 'model_change', { provider: 'openai', modelId: 'other' }),
      compaction(11, 10, 99),
    ])
    const session = await openHandle(store, sourceKey)
    expect(await told(session, idAt(8))).toEqual([
      [summaryText('summary 7'), 'question 6', 'answer 8'],
      'claude',
      'off',
    ])
    expect(await told(session, idAt(10))).toEqual([
      [summaryText('summary 4'), 'question 3', 'answer 5', 'question 9'],
      'other',
      'off',
    ])
    expect(await told(session, idAt(11))).toEqual([[summaryText('summary 11')], 'other', 'off'])
    expect(await told(session, idAt(3))).toEqual([['question 1', 'answer 2', 'question 3'], 'claude', 'off'])
  })

  it('is pi’s whatever the file', { timeout: patience }, () => {
    holds(
      { quick: 200, full: 10_000 },
      fc.property(piFiles(true), (drawn: readonly PiEntry[]) => {
        const file = drawn.map(withEmptyReply)
        const fold = foldEntries(importTree('session 1', file.map(nodeOf)))
        const { cold, rows } = fold
        const places = [...rows, ...cold.compactions.map(({ branch, clock, data }) => ({ branch, order: clock, data }))]
        const made = new Map(cold.compactions.map(({ id, data }) => [id, data['mid']]))
        for (const { id } of file) {
          const path = pathTo(fold, places.find(({ data }) => data['mid'] === id)!)
          const { messages, thinkingLevel, model } = pathContext(path)
          const theirs = buildSessionContext(file, id)
          const expected = theirs.sent.map((sent) => {
            const { type, data } = file.find((one) => one.id === sent)!
            if (type === 'compaction') return { role: 'compactionSummary', summary: data['summary'], timestamp: 0 }
            if (type === 'branch_summary') return { role: 'branchSummary', summary: data['summary'], timestamp: 0 }
            return data['message'] ?? { role: 'custom', timestamp: 0 }
          })
          expect([messages, thinkingLevel, model?.modelId ?? null]).toEqual([
            expected,
            theirs.thinkingLevel,
            theirs.model,
          ])
          expect(path.compaction === undefined ? undefined : made.get(path.compaction.id)).toBe(
            theirs.sent.find((sent) => file.find((one) => one.id === sent)!.type === 'compaction'),
          )
        }
      }),
    )
  })
})

describe('the context at an entry of a session of this app', () => {
  it('knows no compaction that was made after the line was left', async () => {
    const { client, session, entries } = await openSession(user('q1'), assistant('a1'), user('q2'), assistant('a2'))
    await client.store.setCompaction('k', { summary: 'All of it.', keepLast: 0 })
    await session.editAndResend(entries[2]!, user('Q2'))
    expect((await piSession(session).buildSessionContext()).messages.map(({ content }) => content)).toEqual([
      'q1',
      'a1',
      'Q2',
    ])
    expect((await piSession(session).buildSessionContext(entries[3])).messages.map(({ content }) => content)).toEqual([
      'q1',
      'a1',
      'q2',
      'a2',
    ])
  })

  it('has nothing of what was cleared at the end of the line, nor a summary of it', async () => {
    const { client, session } = await openSession(user('secret'), assistant('a1'))
    await client.store.setCompaction('k', { summary: 'A secret.', keepLast: 1, messages: [user('the secret again')] })
    await client.store.setHistory('k', [])
    await client.store.setSummary('k', '')
    await session.append(user('q2'))
    expect((await piSession(session).buildSessionContext()).messages).toEqual([user('q2')])
    expect(await textsOf(session)).toEqual(['q2'])
  })

  it('has edits applied, removed messages left out, and what a compaction put in front', async () => {
    const { client, session, entries } = await openSession(user('q1'), assistant('a1'), user('q2'), assistant('a2'))
    await session.edit(entries[2]!, user('Q2'))
    await session.remove(entries[3]!)
    await client.store.setCompaction('k', {
      summary: 'They met.',
      firstKept: entries[2]!,
      messages: [user('in short')],
    })
    expect(
      (await piSession(session).buildSessionContext()).messages.map(({ summary, content = summary }) => content),
    ).toEqual(['They met.', 'in short', 'Q2'])
  })

  it('is empty for a session that is not there or was deleted', async () => {
    const { client, session } = await openSession()
    expect(await piSession(session).buildSessionContext()).toEqual({ messages: [], thinkingLevel: 'off', model: null })
    await session.append(user('q'))
    await client.delete('k')
    expect(await piSession(session).buildSessionContext()).toEqual({ messages: [], thinkingLevel: 'off', model: null })
  })
})
