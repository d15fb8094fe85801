import { describe, expect, it } from 'vitest'
import { readContext } from '../../../src/client/context/read-context.ts'
import type { SessionStore } from '../../../src/contract/store/session-store.ts'
import { createMemoSession } from '../../../src/dialects/agently/create-memo-session.ts'
import type { MemoHandlers, MemoSession, MemoUpdateRequest } from '../../../src/dialects/agently/memo-types.ts'
import { assistant, refuses, textOf, user } from '../../../src/testing/helpers.ts'
import { memoryStore } from '../support/memory-store.ts'

/** A memo session with so many turns in it. */
async function open(
  turns = 0,
  handlers: MemoHandlers = {},
  store: SessionStore = memoryStore(),
): Promise<MemoSession & { readonly store: SessionStore }> {
  const session = createMemoSession({ store, key: 's', ...handlers })
  for (let i = 0; i < turns; i++) {
    await session.appendMessage(user(`u${i}`))
    await session.appendMessage(assistant(`a${i}`))
  }
  return session
}
const current = async (session: MemoSession): Promise<string[]> => (await session.currentHistory()).map(textOf)
const full = async (session: MemoSession): Promise<string[]> => (await session.fullHistory()).map(textOf)
/** A memo update that keeps what it was told. */
const collect = ({ memo, messages }: MemoUpdateRequest) => ({
  ...memo,
  told: [...((memo['told'] as string[] | undefined) ?? []), ...messages.map(textOf)],
})
const after = async (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))

describe('a memo session', () => {
  it('appends to both views', async () => {
    const session = await open(1)
    expect([await full(session), await current(session)]).toEqual([
      ['u0', 'a0'],
      ['u0', 'a0'],
    ])
  })

  it.each([[{ role: 'user' }], [{ content: 'x' }], [null], [{}]])(
    'refuses the message %j, for want of role or content',
    async (message) => {
      const session = await open()
      await refuses(session.appendMessage(message as never), 'InvalidInput')
      expect(await full(session)).toEqual([])
    },
  )

  it('keeps every message of the full view when it resizes', async () => {
    const session = await open(3)
    await session.setLimit({ messages: 2 })
    expect((await session.resize()).map(textOf)).toEqual(['u2', 'a2'])
    expect([await current(session), await full(session)]).toEqual([
      ['u2', 'a2'],
      ['u0', 'a0', 'u1', 'a1', 'u2', 'a2'],
    ])
  })

  it('judges by the turns since the last resize, although most are hidden by then', async () => {
    const session = await open(3)
    await session.configure({ limit: { messages: 2 }, everyNTurns: 2 })
    await session.resize()
    expect(await session.judgeResize()).toBeNull()
    await session.appendMessage(assistant('a3'))
    await session.setLimit({ messages: 10 })
    expect(await session.judgeResize()).toBeNull()
    await session.appendMessage(assistant('a4'))
    expect(await session.judgeResize()).toMatchObject({ type: 'lite', reason: 'every_n_turns' })
    expect(await session.judgeResize('own')).toMatchObject({ type: 'own', reason: 'force' })
  })

  it('does nothing where nothing is due', async () => {
    const session = await open(2)
    const before = await session.store.getMeta('s')
    expect(await session.resize()).toHaveLength(4)
    expect(await session.store.getMeta('s')).toEqual(before)
  })

  it('counts turns from the last resize on, also those another handle appended', async () => {
    const store = memoryStore()
    const session = await open(2, {}, store)
    await session.configure({ everyNTurns: 3 })
    expect(await session.judgeResize()).toBeNull()
    await open(1, {}, store)
    expect(await session.judgeResize()).toEqual({ type: 'lite', reason: 'every_n_turns', severity: 10 })
    await session.resize()
    expect(await session.memo()).toEqual({ last_resize: { type: 'lite', turn: 3, reason: 'every_n_turns' } })
    await open(2, {}, store)
    expect(await session.judgeResize()).toBeNull()
    await open(1, {}, store)
    expect((await session.judgeResize())?.reason).toBe('every_n_turns')
  })

  it('goes on after a reload where it was', async () => {
    const store = memoryStore()
    const session = await open(3, { memoUpdateHandler: collect }, store)
    await session.useMemo({ limit: { messages: 2, chars: 500 }, everyNTurns: 4 })
    await session.resize()
    const again = await open(0, { memoUpdateHandler: collect }, store)
    expect([await current(again), await again.memo(), await again.settings()]).toEqual([
      await current(session),
      await session.memo(),
      await session.settings(),
    ])
    await again.appendMessage(user('next'))
    await again.resize('lite')
    expect((await again.memo())['told']).toEqual(['u0', 'a0', 'u1', 'a1', 'u2', 'a2', 'next'])
  })

  it('is reached through a handle of the session too', async () => {
    const store = memoryStore()
    const session = createMemoSession({ store, key: 'k' })
    const appended: string[] = []
    const handle = {
      key: 'k',
      appendAll: (entries: never) => (appended.push('by the handle'), store.append('k', entries)),
    }
    await createMemoSession({ store, session: handle as never }).appendMessage(user('hi'))
    expect([await full(session), appended]).toEqual([['hi'], ['by the handle']])
  })
})

describe('settings of a memo session', () => {
  it('turn the memo on and off by mode, and leave it by any other', async () => {
    const session = await open()
    await session.useMemo()
    expect(await session.settings()).toEqual({ mode: 'memo', memo: { enabled: true } })
    await session.configure({ mode: 'custom' })
    expect(await session.settings()).toEqual({ mode: 'custom', memo: { enabled: true } })
    await session.useLite()
    expect(await session.settings()).toEqual({ mode: 'lite', memo: { enabled: false } })
  })

  it('write a limit through to the older names, and keep the other key', async () => {
    const session = await open()
    await session.setLimit({ chars: 10 })
    await session.setLimit({ messages: 2 })
    expect(await session.settings()).toEqual({
      limit: { chars: 10, messages: 2 },
      resize: { max_messages_text_length: 10, max_keep_messages_count: 2 },
    })
  })

  it('are set by path, at any depth', async () => {
    const session = await open()
    await session.setSettings('session.resize.every_n_turns', 2)
    await session.setSettings('session', { mode: 'memo' })
    expect(await session.settings()).toEqual({ resize: { every_n_turns: 2 }, mode: 'memo' })
  })

  it.each(['model.api_key', '', 'session.', 'session..x', 'sessions.x'])('refuse the path "%s"', async (path) => {
    const session = await open()
    await refuses(session.setSettings(path, 1), 'InvalidInput')
    expect(await session.store.getMeta('s')).toBeUndefined()
  })

  it('inherit those of the parent, which are never stored (C17)', async () => {
    const session = await open(2, {
      parentSettings: { session: { limit: { messages: 1 }, mode: 'x' }, model: { api_key: 'secret' } },
    })
    expect(await session.judgeResize()).toMatchObject({ reason: 'max_keep_messages_count' })
    await session.setSettings('session.mode', 'lite')
    expect(await session.settings()).toEqual({ limit: { messages: 1 }, mode: 'lite' })
    expect((await session.store.getMeta('s'))?.contextState).toMatchObject({ settings: { mode: 'lite' } })
    expect(JSON.stringify(await session.store.getMeta('s'))).not.toMatch(/secret|limit/)
  })

  it('that are set while a model updates the memo are kept', async () => {
    const session = await open(2)
    await session.useMemo()
    session.setMemoUpdateHandler(async ({ memo }) => (await session.setSettings('session.own', 1), memo))
    await session.resize('lite')
    expect(await session.settings()).toMatchObject({ own: 1, mode: 'memo' })
  })

  it('set at the same time are all kept', async () => {
    const session = await open()
    await Promise.all(['a', 'b', 'c', 'd'].map((name) => session.setSettings(`session.${name}`, 1)))
    expect(await session.settings()).toEqual({ a: 1, b: 1, c: 1, d: 1 })
  })

  it('leave alone what others keep beside them', async () => {
    const session = await open(2)
    await session.store.updateMeta('s', { contextState: { other: [1] } })
    await session.setLimit({ messages: 1 })
    await session.resize()
    expect((await session.store.getMeta('s'))?.contextState).toMatchObject({
      other: [1],
      settings: { limit: { messages: 1 } },
    })
  })
})

describe('a resize', () => {
  it('prunes by message, also within a turn, and what a model is sent of that is paired (Agently)', async () => {
    const session = await open()
    const call = {
      role: 'assistant',
      content: '',
      tool_calls: [{ id: 'c', type: 'function', function: { name: 'f', arguments: '{}' } }],
    }
    const result = { role: 'tool', tool_call_id: 'c', content: 'result' }
    for (const message of [user('q'), call, result, assistant('done')]) await session.appendMessage(message)
    await session.setLimit({ messages: 2 })
    expect(await session.resize()).toEqual([result, assistant('done')])
    expect((await readContext(session.store, 's')).messages.filter(({ role }) => role !== 'system')).toEqual([
      assistant('done'),
    ])
  })

  it.each<[string, string | boolean, unknown]>([
    ['by force is deep', true, { type: 'deep', reason: 'force', severity: 1000 }],
    ['by name is of that type', 'own', { type: 'own', reason: 'force', severity: 1000 }],
    ['without force is up to the policy', false, null],
    ['by an empty name is up to the policy', '', null],
  ])('%s', async (_, force, decision) => expect(await (await open(1)).judgeResize(force)).toEqual(decision))

  it('of a type nobody handles fails, and changes nothing', async () => {
    const session = await open(1)
    await expect(session.resize('own')).rejects.toMatchObject({
      name: 'HandlerMissing',
      message: expect.stringMatching(/^Missing resize handler for type: own\b/),
    })
    expect(await session.memo()).toEqual({})
  })

  it('finds no default handler once handlers were given', async () => {
    await refuses((await open(1, { resizeHandlers: { own: () => ({}) } })).resize('lite'), 'HandlerMissing')
  })

  it('says why in the memo, with the memo off too; for want of a reason its type (C14)', async () => {
    const session = await open(1, { policyHandler: () => 'lite' })
    await session.resize()
    expect(await session.memo()).toEqual({ last_resize: { type: 'lite', turn: 1, reason: 'lite_resize' } })
    session.setPolicyHandler(async () => ({ type: 'deep', reason: 'mine' }))
    await session.resize()
    expect(await session.memo()).toEqual({ last_resize: { type: 'deep', turn: 1, reason: 'mine' } })
    session.setPolicyHandler(() => ({ type: 'deep' }))
    await session.resize()
    expect(await session.memo()).toEqual({ last_resize: { type: 'deep', turn: 1, reason: 'deep_resize' } })
  })

  it('empties the current view when no message may stay, lite or deep (C15)', async () => {
    for (const type of ['lite', 'deep']) {
      const session = await open(2)
      await session.setLimit({ messages: 0 })
      expect(await session.resize(type)).toEqual([])
      await session.appendMessage(user('next'))
      expect([await current(session), await full(session)]).toEqual([['next'], ['u0', 'a0', 'u1', 'a1', 'next']])
    }
  })

  it('prunes by size as well where few enough messages are there, lite or deep (C15)', async () => {
    for (const type of ['lite', 'deep']) {
      const session = await open(2)
      await session.setLimit({ messages: 50, chars: 19 })
      expect((await session.resize(type)).map(textOf)).toEqual(['u1', 'a1'])
    }
  })

  it('can be told a size for once', async () => {
    const session = await open(3)
    expect((await session.resize(true, { chars: 19 })).map(textOf)).toEqual(['u2', 'a2'])
    expect(await session.settings()).toEqual({})
  })

  it('waits for the one before it', async () => {
    const session = await open(3, { memoUpdateHandler: async (update) => (await after(5), collect(update)) })
    await session.useMemo({ limit: { messages: 2 } })
    await Promise.all([session.resize('lite'), session.resize('lite'), session.resize('lite')])
    expect((await session.memo())['told']).toEqual(['u0', 'a0', 'u1', 'a1', 'u2', 'a2'])
  })

  it('that fails holds nobody up', async () => {
    const session = await open(3)
    await session.setLimit({ messages: 2 })
    const [first, second] = await Promise.allSettled([session.resize('none'), session.resize()])
    expect([first.status, second.status, await current(session)]).toEqual(['rejected', 'fulfilled', ['u2', 'a2']])
  })

  it('keeps in the current view what comes while the memo is updated', async () => {
    const session = await open(3)
    await session.useMemo({ limit: { messages: 2 } })
    session.setMemoUpdateHandler(async (update) => {
      if (update.messages.length > 1) await session.store.append('s', [{ type: 'message', message: user('meanwhile') }])
      return collect(update)
    })
    await session.resize()
    expect(await current(session)).toEqual(['u2', 'a2', 'meanwhile'])
    await session.resize('lite')
    expect((await session.memo())['told']).toEqual(['u0', 'a0', 'u1', 'a1', 'u2', 'a2', 'meanwhile'])
  })

  it('carries a summary on that was there', async () => {
    const session = await open(3)
    await session.store.setSummary('s', 'so far')
    await session.resize('lite', { chars: 1 })
    expect([await session.store.getSummary('s'), await current(session)]).toEqual(['so far', ['a2']])
  })
})

describe('the memo', () => {
  it('takes in each message once in lite resizes, and the whole in a deep one', async () => {
    const session = await open(2, { memoUpdateHandler: collect })
    await session.useMemo({ limit: { messages: 1 } })
    await session.resize('lite')
    await session.appendMessage(user('next'))
    await session.resize('lite')
    await session.resize('lite')
    expect((await session.memo())['told']).toEqual(['u0', 'a0', 'u1', 'a1', 'next'])
    await session.resize('deep')
    expect((await session.memo())['told']).toHaveLength(10)
  })

  it('has what comes during a deep resize left for the next one', async () => {
    const session = await open(1, { memoUpdateHandler: collect })
    await session.useMemo()
    session.setPolicyHandler(async () => (await session.appendMessage(user('meanwhile')), 'deep'))
    await session.resize()
    await session.resize('lite')
    expect((await session.memo())['told']).toEqual(['u0', 'a0', 'meanwhile'])
  })

  it('is not asked for where there is nothing new', async () => {
    let calls = 0
    const session = await open(0, { memoUpdateHandler: ({ memo }) => (calls++, memo) })
    await session.useMemo()
    await session.resize('lite')
    await session.resize('deep')
    expect(calls).toBe(0)
  })

  it('is left aside while it is off, and what was said meanwhile with it', async () => {
    const session = await open(1, { memoUpdateHandler: collect })
    await session.resize('lite')
    await session.useMemo()
    await session.appendMessage(user('next'))
    await session.resize('lite')
    expect((await session.memo())['told']).toEqual(['next'])
  })

  it.each([['text'], [null], [undefined], [5], [[1]]])('stays when %j comes back', async (answer) => {
    const session = await open(1, { memoUpdateHandler: () => answer })
    await session.store.updateMeta('s', { memo: { likes: 'tea' } })
    await session.useMemo()
    await session.resize('lite')
    expect(await session.memo()).toEqual({ likes: 'tea', last_resize: { type: 'lite', turn: 1, reason: 'force' } })
  })

  it.each<[string, () => unknown]>([
    [
      'throws',
      () => {
        throw new Error('no model')
      },
    ],
    ['rejects', () => Promise.reject(new Error('no model'))],
  ])('that %s rejects the resize, and changes nothing', async (_, memoUpdateHandler) => {
    const session = await open(3, { memoUpdateHandler })
    await session.useMemo({ limit: { messages: 2 } })
    const before = await session.store.getMeta('s')
    await expect(session.resize()).rejects.toThrow('no model')
    expect([await session.store.getMeta('s'), await current(session)]).toEqual([before, await full(session)])
    session.setMemoUpdateHandler(collect)
    await session.resize()
    expect((await session.memo())['told']).toHaveLength(6)
  })

  it('that hangs is given up, told so by its signal', async () => {
    let told: AbortSignal | undefined
    const session = await open(3, {
      timeoutMs: 5,
      memoUpdateHandler: ({ signal }) => ((told = signal), new Promise(() => undefined)),
    })
    await session.useMemo({ limit: { messages: 2 } })
    await expect(session.resize()).rejects.toMatchObject({ name: 'Aborted', message: expect.stringContaining('5 ms') })
    expect([told?.aborted, await current(session)]).toEqual([true, await full(session)])
  })

  it('is given up when the caller gives up', async () => {
    const ending = new AbortController()
    const session = await open(3, { memoUpdateHandler: () => (ending.abort(), new Promise(() => undefined)) })
    await session.useMemo()
    await refuses(session.resize('deep', { signal: ending.signal }), 'Aborted')
    await refuses(session.resize('deep', { signal: ending.signal }), 'Aborted')
    expect(await session.memo()).toEqual({})
  })

  it('without anybody to update it is an error rather than forgotten', async () => {
    const session = await open(3)
    await session.useMemo({ limit: { messages: 2 } })
    await refuses(session.resize(), 'HandlerMissing')
    expect(await current(session)).toHaveLength(6)
  })

  it.each<[string, unknown]>([
    ['in a field of its own', { memo: { name: 'Ann' } }],
    ['as it is', { name: 'Ann' }],
  ])('is taken from a model’s answer %s', async (_, answer) => {
    const asked: unknown[] = []
    const session = await open(1, { model: ({ signal: _signal, ...request }) => (asked.push(request), answer) })
    await session.useMemo()
    await session.setSettings('session.memo.instruct', ['Remember names.'])
    await session.resize('lite')
    expect(await session.memo()).toMatchObject({ name: 'Ann' })
    expect(asked).toEqual([
      { current_memo: {}, messages: [user('u0'), assistant('a0')], attachments: [], instruct: ['Remember names.'] },
    ])
  })

  it('is told of attachments, by a handler where there is one', async () => {
    const seen: unknown[] = []
    const session = await open(0, { memoUpdateHandler: ({ memo, attachments }) => (seen.push(attachments), memo) })
    await session.useMemo()
    await session.appendMessage({
      role: 'user',
      content: [
        { type: 'text', text: 'look' },
        { type: 'image', url: 'u', size: 3 },
      ],
    })
    await session.resize('deep')
    session.setAttachmentSummaryHandler(async ({ message }) => [`of ${message.role}`])
    await session.resize('deep')
    expect(seen).toEqual([[{ type: 'image', ref: 'u', meta: { size: 3 } }], ['of user']])
  })
})

describe('a resize handler', () => {
  it('gets both views, the memo, the settings and the decision', async () => {
    let got: unknown
    const session = await open(2, { resizeHandlers: { own: ({ signal: _, ...request }) => ((got = request), {}) } })
    await session.setLimit({ messages: 1 })
    await session.resize('own')
    const messages = [user('u0'), assistant('a0'), user('u1'), assistant('a1')]
    expect(got).toEqual({
      full: messages,
      current: messages,
      memo: {},
      settings: await session.settings(),
      turns: 2,
      lastResizeTurn: 0,
      decision: { type: 'own', reason: 'force', severity: 1000 },
    })
  })

  it('may be async, replaces a default one, and makes the current view what it gives', async () => {
    const session = (await open(3)).setResizeHandlers('lite', async ({ current: all }) => ({
      current: [{ role: 'system', content: 'in short' }, ...all.slice(-2)],
    }))
    expect((await session.resize('lite')).map(textOf)).toEqual(['in short', 'u2', 'a2'])
    await session.appendMessage(user('next'))
    expect([await current(session), await full(session)]).toEqual([
      ['in short', 'u2', 'a2', 'next'],
      ['u0', 'a0', 'u1', 'a1', 'u2', 'a2', 'next'],
    ])
  })

  it('can put older messages back into the current view', async () => {
    const session = await open(3)
    await session.resize('lite', { chars: 1 })
    session.setResizeHandlers('more', ({ full: all }) => ({ current: all.slice(-4) }))
    expect((await session.resize('more')).map(textOf)).toEqual(['u1', 'a1', 'u2', 'a2'])
  })

  it('can leave out the newest', async () => {
    const session = (await open(2)).setResizeHandlers('own', ({ current: all }) => ({ current: all.slice(0, 1) }))
    expect((await session.resize('own')).map(textOf)).toEqual(['u0'])
    await session.appendMessage(user('next'))
    expect(await current(session)).toEqual(['u0', 'next'])
  })

  it('that gives an end of the full view hides the rest of it', async () => {
    const session = (await open(3)).setResizeHandlers('own', ({ full: all }) => ({
      full: all.slice(-3),
      current: all.slice(-1),
    }))
    await session.resize('own')
    expect([await full(session), await current(session)]).toEqual([['a1', 'u2', 'a2'], ['a2']])
  })

  it('hides the rest of the full view also where the current one was pruned to the same end', async () => {
    const session = (await open(3)).setResizeHandlers('own', ({ full: all }) => ({ full: all.slice(-1) }))
    await session.resize('lite', { chars: 1 })
    await session.resize('own')
    expect([await full(session), await current(session)]).toEqual([['a2'], ['a2']])
  })

  it('that gives another full view keeps what came meanwhile behind it', async () => {
    const session = await open(2)
    session.setResizeHandlers('own', async ({ full: all }) => {
      await session.appendMessage(assistant('meanwhile'))
      return { full: [user('in short'), ...all.slice(-1)], current: all.slice(-1) }
    })
    await session.resize('own')
    expect([await full(session), await current(session)]).toEqual([
      ['in short', 'a1', 'meanwhile'],
      ['a1', 'meanwhile'],
    ])
    expect((await session.store.getMeta('s'))?.contextState).toMatchObject({ turns: 3, lastResizeTurn: 2 })
  })

  it('that gives another full view puts it in the place of the old one', async () => {
    const session = await open(3, { memoUpdateHandler: collect })
    await session.useMemo({ everyNTurns: 1 })
    await session.resize('lite', { chars: 1 })
    session.setResizeHandlers('own', ({ full: all, current: now }) => ({
      full: [assistant('the story so far'), ...all.slice(-1)],
      current: now,
    }))
    await session.resize('own')
    expect([await full(session), await current(session)]).toEqual([['the story so far', 'a2'], ['a2']])
    expect([await session.judgeResize(), (await session.memo())['told']]).toEqual([
      null,
      ['u0', 'a0', 'u1', 'a1', 'u2', 'a2'],
    ])
    await session.resize('lite')
    expect((await session.memo())['told']).toHaveLength(6)
  })

  it('that gives no object for a memo empties it', async () => {
    const session = (await open(1)).setResizeHandlers('own', () => ({ memo: 'none' as never }))
    await session.store.updateMeta('s', { memo: { likes: 'tea' } })
    await session.resize('own')
    expect(await session.memo()).toEqual({ last_resize: { type: 'own', turn: 1, reason: 'force' } })
  })

  it('that gives nothing usable is refused', async () => {
    await expect((await open(1)).setResizeHandlers('own', () => null as never).resize('own')).rejects.toThrow(TypeError)
  })

  it('that throws or hangs changes nothing', async () => {
    const session = await open(1, { timeoutMs: 5 })
    session
      .setResizeHandlers('bad', () => {
        throw new Error('bad')
      })
      .setResizeHandlers('stuck', () => new Promise(() => undefined))
    await expect(session.resize('bad')).rejects.toThrow('bad')
    await refuses(session.resize('stuck'), 'Aborted')
    expect([await session.memo(), await current(session)]).toEqual([{}, ['u0', 'a0']])
  })
})

describe('a policy', () => {
  it('goes before every limit', async () => {
    const session = await open(3, { policyHandler: () => null })
    await session.setLimit({ messages: 1 })
    expect(await session.judgeResize()).toBeNull()
  })

  it('gets what there is to judge by', async () => {
    let got: unknown
    const session = await open(1, { policyHandler: async ({ signal: _, ...request }) => ((got = request), null) })
    await session.judgeResize()
    const messages = [user('u0'), assistant('a0')]
    expect(got).toEqual({ full: messages, current: messages, memo: {}, settings: {}, turns: 1, lastResizeTurn: 0 })
  })

  it('that gives nothing usable is refused', async () => {
    const session = await open(1, { policyHandler: () => 5 as never })
    await expect(session.judgeResize()).rejects.toThrow(/^Invalid policy result: 5/)
    await expect(session.resize()).rejects.toThrow(TypeError)
  })
})

describe('a session that is not there', () => {
  it('is not made by resizing or emptying it', async () => {
    const session = await open()
    expect(await session.resize(true)).toEqual([])
    await session.resetChatHistory()
    expect(await session.store.getMeta('s')).toBeUndefined()
  })

  it('because it was deleted is not brought back by resizing, replacing or emptying it', async () => {
    const session = await open(1)
    await session.store.delete('s')
    await refuses(session.resize(true), 'SessionNotFound')
    await refuses(session.setChatHistory([user('x')]), 'SessionNotFound')
    await refuses(session.resetChatHistory(), 'SessionNotFound')
    expect((await session.store.getMeta('s'))?.deletedAt).toBeDefined()
  })
})

describe('a chat history', () => {
  it('keeps reasoning without content: to drop it is PicoClaw’s rule', async () => {
    const session = await open()
    const messages = [user('x'), { role: 'assistant', content: '', reasoning_content: 'Hm.' }, assistant('y')]
    await session.setChatHistory(messages)
    expect(await session.fullHistory()).toEqual(messages)
  })

  it('can be replaced: turns begin anew, the memo stays, nothing is resized', async () => {
    const session = await open(3, { memoUpdateHandler: collect })
    await session.useMemo({ limit: { messages: 2 }, everyNTurns: 1 })
    await session.resize()
    const memo = await session.memo()
    await session.setChatHistory([user('x'), assistant('y'), user('z')])
    expect([await full(session), await current(session), await session.memo()]).toEqual([
      ['x', 'y', 'z'],
      ['x', 'y', 'z'],
      memo,
    ])
    expect((await session.store.getMeta('s'))?.contextState).toMatchObject({
      turns: 0,
      lastResizeTurn: 0,
      memoCursor: '',
    })
    await session.resize()
    expect((await session.memo())['told']).toEqual(['u0', 'a0', 'u1', 'a1', 'u2', 'a2', 'x', 'y', 'z'])
  })

  it('can be replaced by what the current view begins with', async () => {
    const session = (await open(3)).setResizeHandlers('own', () => ({ current: [user('in short'), assistant('a2')] }))
    await session.resize('own')
    await session.setChatHistory([user('in short'), assistant('a2')])
    expect([await full(session), await current(session)]).toEqual([
      ['in short', 'a2'],
      ['in short', 'a2'],
    ])
  })

  it('grows, and is then resized where that is due', async () => {
    const session = await open(1)
    await session.setLimit({ messages: 2 })
    await session.addChatHistory([user('x'), assistant('y')])
    expect([await full(session), await current(session)]).toEqual([
      ['u0', 'a0', 'x', 'y'],
      ['x', 'y'],
    ])
    await session.addChatHistory(user('z'))
    expect(await current(session)).toEqual(['y', 'z'])
    await session.addChatHistory([])
    expect(await current(session)).toEqual(['y', 'z'])
  })

  it('can be emptied, summary and all', async () => {
    const session = await open(2)
    await session.store.setSummary('s', 'old')
    await session.resetChatHistory()
    expect([await full(session), await current(session), await session.store.getSummary('s')]).toEqual([[], [], ''])
    await session.appendMessage(user('next'))
    expect(await current(session)).toEqual(['next'])
  })
})
