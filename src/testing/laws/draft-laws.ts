import { expect } from 'vitest'
import { assistant, history, readAll, refuses, say, user } from '../helpers.ts'
import type { Laws } from '../law.ts'

export const draftLaws: Laws = {
  'L1: keeps a reply while it is being streamed, separate from the history': async ({ store }) => {
    await say(store, 's', ['q'])
    const before = Date.now()
    const draft = await store.openDraft('s', { role: 'assistant' })
    await store.writeDraft('s', draft, 0, { reasoning: 'So ' })
    await store.writeDraft('s', draft, 1, { reasoning: 'then', text: 'Hel' })
    await store.writeDraft('s', draft, 2, { text: 'lo 👋' })
    const [view] = await store.listDrafts('s')
    expect(view).toEqual({
      id: draft,
      branch: '',
      role: 'assistant',
      text: 'Hello 👋',
      reasoning: 'So then',
      parts: [
        { type: 'reasoning', text: 'So then' },
        { type: 'text', text: 'Hello 👋' },
      ],
      startedAt: expect.any(Number),
      next: 3,
    })
    expect(view?.startedAt).toBeGreaterThanOrEqual(before)
    expect(await history(store, 's')).toEqual(['q'])
    expect((await store.getMeta('s'))?.messageCount).toBe(1)
  },

  'L3: turns a draft into an entry, and the draft is gone': async ({ store }) => {
    await say(store, 's', ['q'])
    const draft = await store.openDraft('s', { role: 'assistant' })
    await store.writeDraft('s', draft, 0, { text: 'the ' })
    await store.writeDraft('s', draft, 1, { text: 'answer' })
    const receipt = await store.sealDraft('s', draft)
    expect(await store.getHistory('s')).toEqual([user('q'), assistant('the answer')])
    expect((await readAll(store, 's'))[1]).toMatchObject(receipt)
    expect(await store.listDrafts('s')).toEqual([])
    expect((await store.usage('s')).draftBytes).toBe(0)
  },

  'L3: seals a draft with another message than was streamed': async ({ store }) => {
    const draft = await store.openDraft('s', { role: 'assistant' })
    await store.writeDraft('s', draft, 0, { text: 'half' })
    const message = {
      role: 'assistant',
      content: null,
      tool_calls: [{ id: 'c', type: 'function', function: { name: 'f', arguments: '{}' } }],
    }
    await store.sealDraft('s', draft, message)
    expect(await store.getHistory('s')).toEqual([message])
  },

  'L8: takes each piece of a draft once': async ({ store }) => {
    const draft = await store.openDraft('s', { role: 'assistant' })
    await store.writeDraft('s', draft, 0, { text: 'a' })
    await store.writeDraft('s', draft, 1, { text: 'b' })
    await store.writeDraft('s', draft, 1, { text: 'b' })
    await store.writeDraft('s', draft, 0, { text: 'a' })
    await store.writeDraft('s', draft, 2, { text: 'c' })
    expect((await store.listDrafts('s'))[0]?.text).toBe('abc')
  },

  'L2: keeps the pieces of a draft in order when nobody waits for them': async ({ store }) => {
    const draft = await store.openDraft('s', { role: 'assistant' })
    const pieces = Array.from({ length: 50 }, (_, i) => `${i} `)
    await Promise.all(pieces.map((text, n) => store.writeDraft('s', draft, n, { text })))
    expect((await store.listDrafts('s'))[0]?.text).toBe(pieces.join(''))
  },

  'L2: keeps several drafts separate': async ({ store }) => {
    const [first, second] = [
      await store.openDraft('s', { role: 'assistant' }),
      await store.openDraft('s', { role: 'user' }),
    ]
    await store.writeDraft('s', first, 0, { text: 'one' })
    await store.writeDraft('s', second, 0, { text: 'two' })
    expect((await store.listDrafts('s')).map(({ id, role, text }) => [id, role, text])).toEqual([
      [first, 'assistant', 'one'],
      [second, 'user', 'two'],
    ])
    await store.dropDraft('s', first)
    expect((await store.listDrafts('s')).map(({ id }) => id)).toEqual([second])
    await store.sealDraft('s', second)
    expect(await store.getHistory('s')).toEqual([user('two')])
  },

  'L1: writes a draft to the branch it was opened for': async ({ store }) => {
    const [first] = await say(store, 's', ['a', 'b'])
    const draft = await store.openDraft('s', { role: 'assistant', branch: '' })
    const branch = await store.openBranch('s', { after: first! })
    expect((await store.listDrafts('s'))[0]?.branch).toBe('')
    expect((await store.sealDraft('s', draft, assistant('for main'))).branch).toBe('')
    const other = await store.openDraft('s', { role: 'assistant' })
    expect((await store.sealDraft('s', other, assistant('for the side'))).branch).toBe(branch.id)
  },

  'L14: refuses to continue a draft that ended, or never began': async ({ store }) => {
    await say(store, 's', ['a'])
    const sealed = await store.openDraft('s', { role: 'assistant' })
    await store.sealDraft('s', sealed, assistant('b'))
    const dropped = await store.openDraft('s', { role: 'assistant' })
    await store.dropDraft('s', dropped)
    for (const draft of [sealed, dropped, 'none']) {
      await refuses(store.writeDraft('s', draft, 0, { text: 'x' }), 'InvalidInput')
      await refuses(store.sealDraft('s', draft), 'InvalidInput')
    }
    expect(await history(store, 's')).toEqual(['a', 'b'])
    expect(await store.listDrafts('s')).toEqual([])
  },

  'L14: refuses invalid pieces, and continues': async ({ store }) => {
    const draft = await store.openDraft('s', { role: 'assistant' })
    for (const [n, chunk] of [
      [-1, { text: 'x' }],
      [0.5, { text: 'x' }],
      [Number.NaN, { text: 'x' }],
      [0, { text: 5 }],
      [0, { reasoning: {} }],
      [0, null],
      [0, 'x'],
    ] as const) {
      await refuses(store.writeDraft('s', draft, n, chunk as never), 'InvalidInput')
    }
    for (const options of [
      { role: 'assistant', id: '' },
      { role: 'assistant', id: 5 },
      {},
      { role: '' },
      { role: 5 },
      { role: 'assistant', branch: 'nowhere' },
      undefined,
    ])
      await refuses(store.openDraft('s', options as never), 'InvalidInput')
    await refuses(store.sealDraft('s', draft, { content: 'no role' } as never), 'InvalidInput')
    await store.writeDraft('s', draft, 0, { text: 'good' })
    expect((await store.listDrafts('s')).map(({ text }) => text)).toEqual(['good'])
  },

  'L12: ends drafts with their session': async ({ store }) => {
    await say(store, 's', ['a'])
    const draft = await store.openDraft('s', { role: 'assistant' })
    await store.writeDraft('s', draft, 0, { text: 'x' })
    await store.delete('s')
    expect(await store.listDrafts('s')).toEqual([])
    await refuses(store.writeDraft('s', draft, 1, { text: 'y' }), 'SessionNotFound')
    await refuses(store.sealDraft('s', draft), 'SessionNotFound')
    expect(await history(store, 's')).toEqual([])
  },

  'L8: a draft that is opened again by its id stays as it is': async ({ store }) => {
    expect(await store.openDraft('s', { id: 'mine', role: 'assistant' })).toBe('mine')
    await store.writeDraft('s', 'mine', 0, { text: 'half' })
    expect(await store.openDraft('s', { id: 'mine', role: 'assistant' })).toBe('mine')
    expect(await store.listDrafts('s')).toMatchObject([{ id: 'mine', text: 'half' }])
    await store.writeDraft('s', 'mine', 1, { text: ' whole' })
    await store.sealDraft('s', 'mine')
    expect(await history(store, 's')).toEqual(['half whole'])
  },

  'L12: a draft restarts a deleted session only when it may': async ({ store }) => {
    await refuses(store.openDraft('s', { role: 'assistant', onDeleted: 'refuse' }), 'SessionNotFound')
    await say(store, 's', ['old'])
    await store.delete('s')
    await refuses(store.openDraft('s', { role: 'assistant', onDeleted: 'refuse' }), 'SessionNotFound')
    await store.sealDraft('s', await store.openDraft('s', { role: 'assistant' }), { role: 'assistant', content: 'new' })
    expect(await history(store, 's')).toEqual(['new'])
  },

  'L2: keeps tool input and structured parts of a draft in order, and makes one message of them': async ({ store }) => {
    const draft = await store.openDraft('s', { role: 'assistant' })
    const image = { type: 'image', url: 'x' }
    await store.writeDraft('s', draft, 0, { reasoning: 'hm', text: 'a' })
    await store.writeDraft('s', draft, 1, {
      parts: [
        { type: 'part', part: image },
        { type: 'toolInput', id: 'c', name: 'f', input: '{' },
      ],
    })
    await store.writeDraft('s', draft, 2, {
      parts: [
        { type: 'toolInput', id: 'c', input: '}' },
        { type: 'text', text: 'b' },
      ],
    })
    expect((await store.listDrafts('s'))[0]?.parts).toEqual([
      { type: 'reasoning', text: 'hm' },
      { type: 'text', text: 'a' },
      { type: 'part', part: image },
      { type: 'toolInput', id: 'c', name: 'f', input: '{}' },
      { type: 'text', text: 'b' },
    ])
    await store.sealDraft('s', draft)
    expect(await store.getHistory('s')).toEqual([
      {
        role: 'assistant',
        content: [{ type: 'text', text: 'a' }, image, { type: 'text', text: 'b' }],
        reasoning_content: 'hm',
        tool_calls: [{ id: 'c', type: 'function', function: { name: 'f', arguments: '{}' } }],
      },
    ])
  },

  'L14: refuses invalid parts': async ({ store }) => {
    const draft = await store.openDraft('s', { role: 'assistant' })
    for (const part of [
      'x',
      {},
      { type: 'video' },
      { type: 'text' },
      { type: 'toolInput', input: '' },
      { type: 'toolInput', id: '', input: '' },
      { type: 'part', part: 'x' },
    ]) {
      await refuses(store.writeDraft('s', draft, 0, { parts: [part] as never }), 'InvalidInput')
    }
    await refuses(store.writeDraft('s', draft, 0, { parts: 'x' as never }), 'InvalidInput')
    expect((await store.listDrafts('s'))[0]?.parts).toEqual([])
  },

  'L3: continues an interrupted reply, and completes that entry': async ({ store }) => {
    await store.append('s', [
      { type: 'message', message: { role: 'assistant', content: 'half', interrupted: true, usage: 3 } },
    ])
    const [entry] = await readAll(store, 's')
    const resume = { branch: entry!.branch, order: entry!.order }
    const draft = await store.openDraft('s', { role: 'assistant', resume })
    await refuses(store.openDraft('s', { role: 'assistant', resume }), 'AccessDenied')
    await store.writeDraft('s', draft, 1, { text: ' and half' })
    expect(await store.listDrafts('s')).toMatchObject([{ text: 'half and half', next: 2, resumes: resume }])
    await store.sealDraft('s', draft)
    expect(await store.getHistory('s')).toEqual([{ role: 'assistant', content: 'half and half', usage: 3 }])
    expect((await readAll(store, 's'))[0]?.id).toBe(entry!.id)
    await refuses(store.openDraft('s', { role: 'assistant', resume }), 'InvalidInput')
  },

  'L1: flushes what was stored, and has nothing left to flush': async ({ store }) => {
    await store.addFullMessage('s', { role: 'tool', tool_call_id: 'c', content: 'r' })
    await store.flush()
    expect(await store.unflushed()).toBeUndefined()
  },
}
