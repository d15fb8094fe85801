import fc from 'fast-check'
import { expect, it } from 'vitest'
import { isSessionError } from '../../src/contract/errors.ts'
import { inBreaths } from '../../src/pacing/breather.ts'
import { createIndex } from '../../src/search/create-index.ts'
import { makeSnippet } from '../../src/search/make-snippet.ts'
import { parseQuery } from '../../src/search/parse-query.ts'
import { rankDocuments } from '../../src/search/rank-documents.ts'
import { openSearch } from './support/open-search.ts'

const word = fc.constantFrom('fox', 'foxes', 'box', 'wolf', 'wolfram', 'a', 'ab', 'Fox', 'été', 'x1')
const sentence = fc
  .array(fc.tuple(word, fc.constantFrom(' ', ', ', '\n', '. ')), { minLength: 1, maxLength: 12 })
  .map((parts) => parts.flat().join(''))
const han = fc
  .array(fc.constantFrom('会', '话', '记', '录', '，', ' '), { minLength: 1, maxLength: 12 })
  .map((parts) => parts.join(''))

const step = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      do: fc.constant('append' as const),
      key: fc.constantFrom('k', 'l'),
      texts: fc.array(sentence, { minLength: 1, maxLength: 4 }),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant('edit' as const),
      key: fc.constantFrom('k', 'l'),
      n: fc.nat(20),
      text: sentence,
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ do: fc.constant('remove' as const), key: fc.constantFrom('k', 'l'), n: fc.nat(20) }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      do: fc.constantFrom(
        'truncate' as const,
        'branch' as const,
        'delete' as const,
        'undelete' as const,
        'purge' as const,
        'switch' as const,
        'prune' as const,
        'compact' as const,
        'search' as const,
      ),
      key: fc.constantFrom('k', 'l'),
      n: fc.nat(20),
    }),
  },
)
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never

/** Does a step, where it can be done. */
async function take(store: ReturnType<typeof openSearch>['store'], one: Step): Promise<void> {
  const { key } = one
  const entries = (await store.read(key, { last: 100 })).entries
  const branches = await store.listBranches(key)
  switch (one.do) {
    case 'append':
      return void (await store.append(
        key,
        one.texts.map((content) => ({ type: 'message', message: { role: 'user', content } })),
      ))
    case 'edit':
      return entries.length === 0
        ? undefined
        : store.edit(key, entries[one.n % entries.length]!, { role: 'user', content: one.text })
    case 'remove':
      return entries.length === 0 ? undefined : void (await store.remove(key, entries[one.n % entries.length]!))
    case 'truncate':
      // Refused in a session that was deleted before.
      return store.truncateHistory(key, one.n % 4).catch((error: unknown) => {
        if (!isSessionError(error, 'SessionNotFound')) throw error
      })
    case 'branch':
      return entries.length === 0
        ? undefined
        : void (await store.openBranch(key, { after: entries[one.n % entries.length]! }))
    case 'switch':
      return branches.length === 0 ? undefined : store.switchBranch(key, branches[one.n % branches.length]!.id)
    case 'prune':
      return branches.length < 2 ? undefined : store.deleteBranch(key, branches[1]!.id)
    case 'compact':
      return void (await store.reclaim(key))
    case 'delete':
    case 'undelete':
      return store[one.do](key).catch(() => undefined)
    case 'purge':
      return store.purge(key)
    case 'search':
      return undefined
  }
}

it('a search for one word says what a look at every message says, whatever was done', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 14 }), word, async (steps, wanted) => {
      const { store, search, service } = openSearch()
      for (const one of steps) {
        await take(store, one)
        if (one.do === 'search') await search(wanted)
      }
      const expected = new Set<string>()
      for (const key of ['k', 'l']) {
        for (const { id } of await store.listBranches(key)) {
          const { entries } = await store.read(key, { branch: id, last: 1000 })
          for (const { order, message } of entries)
            if (message !== undefined && hasWord(String(message.content), wanted)) expected.add(`${key} ${order}`)
        }
      }
      const hits = await search(wanted, { limit: 1000 })
      expect(hits.map(({ key, order }) => `${key} ${order}`).sort()).toEqual([...expected].sort())
      for (const { key, line, order } of hits)
        expect((await store.read(key, { branch: line, last: 1000 })).entries.map((entry) => entry.order)).toContain(
          order,
        )
      await service.close()
    }),
    { numRuns: 150 },
  )
})

/** The same by other means, for words of the kind that these tests have. */
function hasWord(text: string, wanted: string): boolean {
  const plain = (one: string): string => one.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase()
  return plain(text)
    .split(/[^a-z0-9]+/)
    .some((one) => one.startsWith(plain(wanted)))
}

const noBreath = (): undefined => undefined
const document = (text: string, i: number) => ({
  session: 1,
  branch: '',
  order: String(i).padStart(6, '0'),
  edit: '',
  at: i,
  role: 'user',
  text,
})

it('a search for Chinese characters says what `includes` says', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(han, { maxLength: 20 }),
      fc.stringMatching(/^[会话记录]{1,4}$/),
      async (texts, wanted) => {
        const index = createIndex()
        await index.add(texts.map(document), noBreath)
        const found = rankDocuments(index.segments(), parseQuery(wanted, false), () => true, 100)
        expect(found.map((one) => one.document).sort((a, b) => a - b)).toEqual(
          texts.flatMap((text, i) => (text.includes(wanted) ? [i] : [])),
        )
      },
    ),
    { numRuns: 500 },
  )
})

it('an index says the same before and after its segments were joined', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.oneof(sentence, han), { minLength: 9, maxLength: 80 }),
      fc.array(fc.nat(79), { maxLength: 20 }),
      fc.oneof(word, fc.constant('会话'), fc.constant('"fox box"')),
      async (texts, gone, wanted) => {
        const index = createIndex()
        for (const [i, text] of texts.entries()) await index.add([document(text, i)], noBreath)
        const all = [...index.find(1).values()]
        for (const i of gone) if (i < texts.length) index.remove(all[i]!)
        const search = () =>
          rankDocuments(index.segments(), parseQuery(wanted, true), () => true, 100)
            .map((one) => one.segment.documents.orders[one.document])
            .sort()
        const before = search()
        const segments = index.segments().length
        await index.tidy(noBreath)
        expect(index.segments().length).toBeLessThan(segments)
        expect(search()).toEqual(before)
        expect(index.find(1).size).toBe(new Set(texts.map((_, i) => i).filter((i) => !gone.includes(i))).size)
      },
    ),
    { numRuns: 100 },
  )
})

it('typos are counted as by the textbook', async () => {
  const letters = fc.stringMatching(/^[abcd]{4,9}$/)
  await fc.assert(
    fc.asyncProperty(fc.uniqueArray(letters, { minLength: 1, maxLength: 30 }), letters, async (words, wanted) => {
      const index = createIndex()
      await index.add(words.map(document), noBreath)
      const found = rankDocuments(index.segments(), parseQuery(`"${wanted}"`, true), () => true, 100)
      const most = wanted.length < 8 ? 1 : 2
      expect(found.map((one) => words[one.document]).sort()).toEqual(
        words.filter((one) => distance(one, wanted) <= most).sort(),
      )
    }),
    { numRuns: 500 },
  )
})

/** Optimal string alignment, as it is defined. */
function distance(a: string, b: string): number {
  const to = (i: number, j: number): number => {
    if (i === 0 || j === 0) return i + j
    const swapped =
      i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1] ? table[i - 2]![j - 2]! + 1 : Infinity
    return Math.min(
      table[i - 1]![j]! + 1,
      table[i]![j - 1]! + 1,
      table[i - 1]![j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1),
      swapped,
    )
  }
  const table: number[][] = []
  for (let i = 0; i <= a.length; i++) {
    table.push([])
    for (let j = 0; j <= b.length; j++) table[i]!.push(to(i, j))
  }
  return table[a.length]![b.length]!
}

it('a snippet shows what was found, is short, on one line, and breaks no character', async () => {
  const piece = fc.constantFrom(
    'fox',
    ' ',
    '\n\n',
    '\t',
    '👩‍👩‍👧',
    '🇩🇪🇫🇷',
    '会话',
    'e\u0301',
    '👍🏽',
    'lorem ipsum ',
    'Fuchs',
    '𠮷',
  )
  await fc.assert(
    fc.asyncProperty(
      fc.array(piece, { maxLength: 120 }),
      fc.array(piece, { maxLength: 120 }),
      async (before, after) => {
        const text = [...before, ' fox ', ...after].join('').normalize('NFC')
        const snippet = await inBreaths(makeSnippet(text, parseQuery('"fox"', false)), noBreath)
        if (snippet === undefined) throw new Error('Expected a snippet.')
        expect(snippet.text.length).toBeLessThanOrEqual(162)
        expect(snippet.text).not.toMatch(/[\n\t]| {2}/)
        expect(snippet.text.isWellFormed()).toBe(true)
        expect(snippet.matches.length).toBeGreaterThan(0)
        for (const [start, end] of snippet.matches) expect(snippet.text.slice(start, end)).toBe('fox')
        const graphemes = (one: string) =>
          new Set([...new Intl.Segmenter('en').segment(one)].map(({ segment }) => segment))
        const whole = graphemes(text.replace(/\s+/g, ' '))
        for (const one of graphemes(snippet.text.replaceAll('…', ''))) expect(whole).toContain(one)
      },
    ),
    { numRuns: 500 },
  )
})
