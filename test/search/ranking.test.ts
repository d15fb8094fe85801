import fc from 'fast-check'
import { expect, it } from 'vitest'
import { tokenise } from '../../src/domain/tokenise.ts'
import { createIndex } from '../../src/search/create-index.ts'
import { type Clause, parseQuery } from '../../src/search/parse-query.ts'
import { type RankedDocument, rankDocuments } from '../../src/search/rank-documents.ts'

const piece = fc.constantFrom('fox', 'foxes', 'box', 'wolf', 'wolfram', 'a', 'ab', 'Fox', 'x1', '会话', '话记录', '会')
const text = fc.array(piece, { minLength: 1, maxLength: 14 }).map((pieces) => pieces.join(' '))
const queryPart = fc.oneof(
  piece,
  fc.array(piece, { minLength: 2, maxLength: 3 }).map((pieces) => `"${pieces.join(' ')}"`),
  fc.array(piece, { minLength: 2, maxLength: 3 }).map((pieces) => pieces.join('.')),
  fc.constantFrom('fo', '话', '会话记录', 'wol'),
)
const query = fc.array(queryPart, { minLength: 1, maxLength: 3 }).map((parts) => parts.join(' '))

/** Texts in a few segments, some of them removed; each at its number, in a session of three. */
const corpus = fc.record({
  groups: fc.array(fc.array(text, { minLength: 1, maxLength: 12 }), { minLength: 1, maxLength: 6 }),
  gone: fc.array(fc.nat(71), { maxLength: 20 }),
})

async function indexOf({
  groups,
  gone,
}: {
  readonly groups: readonly (readonly string[])[]
  readonly gone: readonly number[]
}) {
  const index = createIndex()
  let n = 0
  for (const texts of groups)
    await index.add(
      texts.map((one) => ({
        session: 1,
        branch: '',
        order: String(n).padStart(6, '0'),
        edit: '',
        at: n++ % 5,
        role: 'user',
        text: one,
      })),
      () => undefined,
    )
  for (const [order, place] of index.find(1)) if (gone.includes(Number(order))) index.remove(place)
  const alive = groups
    .flat()
    .map((one, number) => ({ text: one, number }))
    .filter(({ number }) => !gone.includes(number))
  return { index, alive }
}

const numberOf = ({ segment, document }: RankedDocument): number => Number(segment.documents.orders[document])

/** How often a text has what a clause asks for, as it is defined: a term that goes on counts for less. */
function frequencyOf(terms: readonly string[], clause: Clause): number {
  if (clause.length === 1) {
    const [{ term, isPrefix }] = clause as [Clause[number]]
    return terms.reduce(
      (sum, other) =>
        sum + (other === term ? 1 : isPrefix && other.startsWith(term) ? (0.8 * term.length) / other.length : 0),
      0,
    )
  }
  return terms.filter((_, i) =>
    clause.every(
      ({ term, isPrefix }, place) =>
        terms[i + place] === term || (isPrefix && terms[i + place]?.startsWith(term) === true),
    ),
  ).length
}

it('documents score what Okapi BM25 says, by a count of every word of every text', async () => {
  await fc.assert(
    fc.asyncProperty(corpus, query, async (one, asked) => {
      const { index, alive } = await indexOf(one)
      const clauses = parseQuery(asked, false)
      const texts = alive.map(({ text: body, number }) => {
        const terms: string[] = []
        tokenise(body, ({ term }) => void terms.push(term))
        return { number, length: terms.length, frequencies: clauses.map((clause) => frequencyOf(terms, clause)) }
      })
      const average = texts.reduce((sum, { length }) => sum + length, 0) / texts.length
      const rarity = clauses.map((_, i) => {
        const having = texts.filter(({ frequencies }) => frequencies[i]! > 0).length
        return Math.log(1 + (texts.length - having + 0.5) / (having + 0.5))
      })
      const expected = new Map(
        texts
          .filter(({ frequencies }) => frequencies.every((frequency) => frequency > 0))
          .map(({ number, length, frequencies }) => [
            number,
            frequencies.reduce(
              (sum, frequency, i) =>
                sum + (rarity[i]! * frequency * 2.2) / (frequency + 1.2 * (0.25 + (0.75 * length) / average)),
              0,
            ),
          ]),
      )
      const found = rankDocuments(index.segments(), clauses, () => true, 100)
      expect(found.map(numberOf).sort((a, b) => a - b)).toEqual([...expected.keys()].sort((a, b) => a - b))
      for (const document of found) expect(document.score).toBeCloseTo(expected.get(numberOf(document))!, 4)
    }),
    { numRuns: 1000 },
  )
})

it('the best come first, of equal ones the newest, and fewer are the first of more', async () => {
  await fc.assert(
    fc.asyncProperty(
      corpus,
      query,
      fc.integer({ min: 1, max: 20 }),
      fc.integer({ min: 1, max: 7 }),
      async (one, asked, count, nth) => {
        const { index } = await indexOf(one)
        const rank = (most: number, passes = (_: unknown, __: number) => true) =>
          rankDocuments(index.segments(), parseQuery(asked, false), passes, most)
        const all = rank(100)
        const sortKey = (a: RankedDocument): readonly [number, number, number] => [
          -a.score,
          -a.segment.documents.at[a.document]!,
          -numberOf(a),
        ]
        const byKey = (a: RankedDocument, b: RankedDocument): number =>
          sortKey(a)
            .map((value, i) => value - sortKey(b)[i]!)
            .find((difference) => difference !== 0) ?? 0
        expect(all).toEqual(all.toSorted(byKey))
        expect(rank(count)).toEqual(all.slice(0, count))
        const some = (document: RankedDocument): boolean => numberOf(document) % nth === 0
        expect(
          rankDocuments(
            index.segments(),
            parseQuery(asked, false),
            (segment, document) => some({ segment, document, score: 0 }),
            count,
          ),
        ).toEqual(all.filter(some).slice(0, count))
      },
    ),
    { numRuns: 500 },
  )
})

it('scores do not depend on how the index is cut into segments', async () => {
  await fc.assert(
    fc.asyncProperty(corpus, query, async (one, asked) => {
      const { index } = await indexOf(one)
      const scores = () =>
        rankDocuments(index.segments(), parseQuery(asked, false), () => true, 100).map((document) => [
          numberOf(document),
          document.score,
        ])
      const before = scores()
      await index.tidy(() => undefined)
      expect(scores()).toEqual(before)
    }),
    { numRuns: 300 },
  )
})

it('looks at few documents for a rare word, and where a new one belongs, however many there are', async () => {
  let looks = 0
  const counted = <List extends object>(list: List): List =>
    new Proxy(list, {
      get: (target, name) => {
        if (typeof name === 'string' && /^\d+$/.test(name)) looks++
        const value: unknown = Reflect.get(target, name, target)
        return typeof value === 'function' ? (value.bind(target) as unknown) : value
      },
    })
  const cost = async (count: number): Promise<number> => {
    const texts = Array.from({ length: count }, (_, i) => `common ${i === 7 ? 'rare' : 'other'}`)
    const { index } = await indexOf({ groups: [texts], gone: [3] })
    const stored = createIndex({
      sessions: [],
      segments: index.segments().map(({ id, segment, dead }) => {
        const { documents } = segment
        const { sessions, lengths, orders } = documents
        const watched = { sessions: counted(sessions), lengths: counted(lengths), orders: counted(orders) }
        return { id, segment: { ...segment, documents: { ...documents, ...watched } }, dead: counted(dead) }
      }),
    })
    looks = 0
    const found = rankDocuments(stored.segments(), parseQuery('rare', false), () => true, 20)
    expect(found.map(numberOf)).toEqual([7])
    expect(stored.find(1, new Set(['999999'])).size).toBe(0)
    return looks
  }
  expect(await cost(2000)).toBeLessThanOrEqual(await cost(20))
})
