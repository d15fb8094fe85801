import { describe, expect, it } from 'vitest'
import { openSearch } from './support/open-search.ts'

const say = (text: string) => ({ type: 'message', message: { role: 'user', content: text } }) as const

/** What is found of these texts, each a message, in the order given. */
async function found(texts: readonly string[], query: string, filter = {}): Promise<readonly string[]> {
  const { store, search } = openSearch()
  await store.append(
    'k',
    texts.map((text, i) => ({ type: 'message', mid: String(i), message: { role: 'user', content: text } })),
  )
  const hits = await search(query, filter)
  return hits.map(({ mid }) => texts[Number(mid)]!).sort((a, b) => texts.indexOf(a) - texts.indexOf(b))
}

describe('a query', () => {
  it.each<[what: string, query: string, yes: readonly string[], no: readonly string[]]>([
    ['finds a word', '"coffee"', ['Coffee is ready', 'more (coffee)!'], ['tea', 'coffeepot']],
    [
      'finds what begins like the last word',
      'ready cof',
      ['Coffee is ready', 'ready? COFFEE'],
      ['ready', 'decof ready'],
    ],
    ['takes the words before the last as they are', 'cof ready', [], ['Coffee is ready']],
    ['wants all its words', 'brown fox', ['a fox is brown'], ['a fox', 'brown']],
    ['ignores case', 'STRASSE', ['die Straße', 'strasse'], []],
    ['ignores accents', 'resume', ['Résumé', 'résume\u0301'], []],
    ['has accents ignored', 'ÑANDÚ', ['nandu', 'Ñandú'], []],
    ['ignores width', 'abc１', ['ＡＢＣ1'], []],
    ['meets the Greek s in each of its forms', 'σοφοσ', ['ΣΟΦΌΣ', 'σοφός'], []],
    [
      'holds quoted words together',
      '"brown fox"',
      ['the brown, fox', 'Brown Fox'],
      ['fox brown', 'brown red fox', 'brown foxes'],
    ],
    ['takes an open quote for none', '"brown fox', ['fox, brown'], ['fox']],
    ['holds together what stands together', "don't ", ["I don't", 'don’t!'], ['t don', 'don']],
    ['finds parts of code', 'store.append(', ['await store.append(key)'], ['append store']],
    ['finds Chinese by its characters', '会话记录', ['保存会话记录吧'], ['会话', '记录会话', '会记录话']],
    ['finds two Chinese characters anywhere', '话记', ['会话记录'], ['话，记']],
    ['finds a single Chinese character', '录', ['会话记录', '录音', '录'], ['会话']],
    ['finds Chinese beside English', '用React写', ['我用React写的'], ['React 用写']],
    ['finds English inside Chinese', 'react', ['我用React写的'], ['反应']],
    ['finds words of both', '会话 wor', ['会话 in a worker'], ['会话', 'worker']],
    ['finds Japanese', 'カタ', ['ひらがなとカタカナ'], ['ヵタ']],
    ['tells が from か', 'が', ['がき'], ['かき']],
    ['finds Korean', '하세', ['안녕하세요'], ['안녕']],
    ['finds Korean as a Mac writes it', '하세', ['안녕하세요'.normalize('NFD')], []],
    ['finds Thai', 'สวัส', ['สวัสดีครับ'], ['ครับ']],
    ['finds a picture', '🦊', ['a 🦊 here', '🦊🦊'], ['🐺', 'fox']],
    ['finds a picture in any colour', '👍', ['ok 👍🏽'], []],
    ['finds numbers', '3.14', ['pi is 3.14159'], ['314', '14.3']],
    ['does not mind astral characters', '𠮷野', ['𠮷野家'], ['吉野']],
  ])('%s', async (_, query, yes, no) => {
    expect(await found([...yes, ...no], query)).toEqual(yes)
  })

  it.each(['', '   ', '"', '""', '?!…', '\u0000', '\ud800', '*', '()', '\u200d\ufe0f', '-', '""""'])(
    'of nothing to look up finds nothing (%j)',
    async (query) => {
      expect(await found(['a', 'b ? ! " * ()', ''], query)).toEqual([])
    },
  )

  it.each(['constructor', '__proto__', '.*', '[a-z]+', 'a\\b', '%', 'toString '])(
    'is no expression, and no key of an object (%j)',
    async (query) => {
      expect(await found(['unrelated words'], query)).toEqual([])
    },
  )

  it.each([
    ['a letter too much', 'databasse'],
    ['a letter too few', 'databse'],
    ['another letter', 'datebase'],
    ['two letters swapped', 'dataabse'],
    ['two mistakes in a long word', 'dotabese'],
  ])('may be misspelt where that is asked for: %s', async (_, query) => {
    expect(await found(['my database', 'my table'], query, { typos: true })).toEqual(['my database'])
    expect(await found(['my database', 'my table'], query)).toEqual([])
  })

  it('may not be misspelt in short words, and only once in those of middle length', async () => {
    expect(await found(['cat', 'car'], 'cat', { typos: true })).toEqual(['cat'])
    expect(await found(['table'], 'tibli', { typos: true })).toEqual([])
  })
})

describe('what is found', () => {
  it('says where it is, so that the message can be shown', async () => {
    const { store, search } = openSearch()
    await store.updateMeta('k', { title: 'My talk' })
    const { entries } = await store.append('k', [say('one'), { ...say('two foxes'), mid: 'm2', at: 5 }, say('three')])
    const [hit, ...others] = await search('foxes')
    expect(others).toEqual([])
    expect(hit).toEqual({
      key: 'k',
      title: 'My talk',
      id: entries[1]!.id,
      branch: '',
      order: entries[1]!.order,
      line: '',
      isOnHead: true,
      at: 5,
      role: 'user',
      mid: 'm2',
      snippet: { text: 'two foxes', matches: [[4, 9]] },
      score: expect.any(Number),
    })
    const before = await store.read('k', { branch: hit!.line, before: hit!.order })
    const after = await store.read('k', { branch: hit!.line, after: hit!.order })
    expect([before, after].map((page) => page.entries.map(({ message }) => message?.content))).toEqual([
      ['one'],
      ['three'],
    ])
  })

  it('stands with the best first: more of it, in less text; the rarer word counts more; of equals the newest', async () => {
    const { store, search } = openSearch()
    const texts = ['fox and much else that is of no matter here', 'fox fox fox', 'fox', 'wolf', 'wolf fox']
    await store.append(
      'k',
      texts.map((text, i) => ({ ...say(text), at: 1000 + i })),
    )
    await store.append('l', [{ ...say('wolf'), at: 5000 }])
    const order = async (query: string) => (await search(query)).map(({ snippet }) => snippet.text)
    expect((await order('fox ')).slice(0, 2)).toEqual(['fox fox fox', 'fox'])
    expect((await order('fox ')).at(-1)).toMatch(/^fox and much/)
    expect((await search('wolf ')).map(({ key }) => key).slice(0, 2)).toEqual(['l', 'k'])
  })

  it('puts the word itself before words that begin like it', async () => {
    const { store, texts } = openSearch()
    await store.append('k', [say('foxes here'), say('fox here'), say('foxhound here')])
    expect(await texts('fox')).toEqual(['fox here', 'foxes here', 'foxhound here'])
  })

  it('comes in pages', async () => {
    const { store, search } = openSearch()
    await store.append(
      'k',
      Array.from({ length: 30 }, (_, i) => ({ ...say(`fox ${'x '.repeat(i)}`), at: i })),
    )
    const all = await search('fox', { limit: 100 })
    expect(all).toHaveLength(30)
    expect([...(await search('fox', { limit: 7 })), ...(await search('fox', { limit: 50, offset: 7 }))]).toEqual(all)
    expect(await search('fox')).toEqual(all.slice(0, 20))
    expect(await search('fox', { offset: 30 })).toEqual([])
  })

  it('may be only of one session, agent, user, role or time', async () => {
    const { store, search } = openSearch()
    await store.updateMeta('a', { agentId: 'x', userId: 'u' })
    await store.updateMeta('b', { agentId: 'y', userId: 'u' })
    await store.append('a', [
      { ...say('fox'), at: 10 },
      { type: 'message', message: { role: 'assistant', content: 'fox' }, at: 20 },
    ])
    await store.append('b', [{ ...say('fox'), at: 30 }])
    const places = async (filter: object) => (await search('fox', filter)).map(({ key, at }) => `${key}${at}`).sort()
    expect(await places({})).toEqual(['a10', 'a20', 'b30'])
    expect(await places({ sessionKey: 'a' })).toEqual(['a10', 'a20'])
    expect(await places({ agentId: 'y' })).toEqual(['b30'])
    expect(await places({ userId: 'u' })).toEqual(['a10', 'a20', 'b30'])
    expect(await places({ agentId: 'x', userId: 'v' })).toEqual([])
    expect(await places({ role: 'assistant' })).toEqual(['a20'])
    expect(await places({ from: 20 })).toEqual(['a20', 'b30'])
    expect(await places({ to: 20 })).toEqual(['a10'])
    expect(await places({ sessionKey: 'nobody' })).toEqual([])
  })

  it('is the text of parts, of content or of a UI message, and nothing else', async () => {
    const { store, texts } = openSearch()
    await store.append('k', [
      {
        type: 'message',
        message: {
          role: 'user',
          content: [
            { type: 'text', text: 'inparts' },
            { type: 'image_url', url: 'inimage' },
          ],
        },
      },
      { type: 'message', message: { role: 'user', parts: [{ type: 'text', text: 'inui' }] } },
      {
        type: 'message',
        message: { role: 'assistant', content: null, reasoning_content: 'inthought', tool_calls: [{ id: 'incall' }] },
      },
      { type: 'custom', data: { text: 'incustom' } },
    ])
    for (const [query, count] of [
      ['inparts', 1],
      ['inui', 1],
      ['inimage', 0],
      ['inthought', 0],
      ['incall', 0],
      ['incustom', 0],
    ] as const)
      expect(await texts(query)).toHaveLength(count)
  })
})
