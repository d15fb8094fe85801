import { expect } from 'vitest'
import type { SessionStore } from '../../contract/store/session-store.ts'
import { assistant, entryOf, readAll, say, soon, transcript } from '../helpers.ts'
import { type Laws, needs } from '../law.ts'

const call = (id: string) =>
  entryOf({
    role: 'assistant',
    content: `calls ${id}`,
    tool_calls: [{ id, type: 'function', function: { name: 'f', arguments: '{}' } }],
  })
const result = (id: string) => entryOf({ role: 'tool', tool_call_id: id, content: `result ${id}` })

/** Asks in one store, and waits until the other has seen it. */
async function ask(store: SessionStore, other: SessionStore, question: string): Promise<void> {
  await say(store, 's', [question])
  await soon(async () => (await transcript(other, 's')).includes(question), true)
}
async function stream(store: SessionStore, text: string): Promise<string> {
  const draft = await store.openDraft('s', { role: 'assistant' })
  await store.writeDraft('s', draft, 0, { text })
  return draft
}

/** Where the entries of several stores go: a turn is a user's message and everything that answers it. */
export const turnLaws: Laws = {
  'L2: a store that answers what another asks puts each reply behind its question': needs(
    ['openAnother'],
    async ({ store, openAnother }) => {
      const other = await openAnother()
      await say(other, 's', ['q0'])
      await other.append('s', [entryOf(assistant('a0'))])
      await ask(store, other, 'q1')
      await other.append('s', [entryOf(assistant('a1'))])
      await ask(store, other, 'q2')
      await other.sealDraft('s', await stream(other, 'a2'))
      await ask(store, other, 'q3')
      await other.append('s', [call('c'), result('c'), entryOf(assistant('a3'))])
      await ask(store, other, 'q4')
      await other.put('s', { ...assistant('a4'), id: 'm4' }, { mid: 'm4' })
      await ask(store, other, 'q5')
      await other.transact('s', [{ type: 'append', entries: [entryOf(assistant('a5'))] }])
      const expected = ['q0', 'a0', 'q1', 'a1', 'q2', 'a2', 'q3', 'calls c', 'result c', 'a3', 'q4', 'a4', 'q5', 'a5']
      expect(await transcript(other, 's')).toEqual(expected)
      await soon(() => transcript(store, 's'), expected)
      const turns = (await readAll(store, 's')).map(({ turn }) => turn)
      expect(new Set(turns).size).toBe(6)
    },
  ),

  'L2: keeps what answers a question together, though another store asks in the middle': needs(
    ['openAnother'],
    async ({ store, openAnother }) => {
      const other = await openAnother()
      await say(store, 's', ['q1'])
      await store.append('s', [call('c')])
      await ask(other, store, 'q2')
      await store.append('s', [result('c')])
      await store.append('s', [entryOf(assistant('a1'))])
      expect(await transcript(store, 's')).toEqual(['q1', 'calls c', 'result c', 'a1', 'q2'])
    },
  ),

  'L2: puts a result behind its call, though its store asked something before': needs(
    ['openAnother'],
    async ({ store, openAnother }) => {
      const other = await openAnother()
      await say(other, 's', ['q0'])
      await ask(store, other, 'q1')
      await store.append('s', [call('c')])
      await soon(async () => (await transcript(other, 's')).length, 3)
      await other.append('s', [result('c')])
      expect(await transcript(other, 's')).toEqual(['q0', 'q1', 'calls c', 'result c'])
    },
  ),

  'L2: keeps a reply with its question, though another one was asked while it was streamed': needs(
    ['openAnother'],
    async ({ store, openAnother }) => {
      const other = await openAnother()
      await ask(store, other, 'q1')
      const first = await stream(other, 'a1')
      await ask(store, other, 'q2')
      const second = await stream(other, 'a2')
      await ask(store, other, 'q3')
      await other.sealDraft('s', second)
      await other.sealDraft('s', first)
      await other.append('s', [entryOf(assistant('a3'))])
      expect(await transcript(other, 's')).toEqual(['q1', 'a1', 'q2', 'a2', 'q3', 'a3'])
    },
  ),

  'L9: puts what is appended after a parent behind it, whatever its store wrote before': needs(
    ['openAnother'],
    async ({ store, openAnother }) => {
      const other = await openAnother()
      await say(other, 's', ['q0'])
      for (const [question, answer] of [
        ['q1', 'a1'],
        ['q2', 'a2'],
      ] as const) {
        await ask(store, other, question)
        const parent = (await readAll(other, 's')).at(-1)!.order
        const { moved } = await other.append('s', [entryOf(assistant(answer))], { parent, onConflict: 'refuse' })
        expect([moved, (await transcript(other, 's')).at(-1)]).toEqual([false, answer])
        await say(other, 's', [`after ${answer}`])
      }
    },
  ),
}
