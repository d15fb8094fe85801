import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type Token, tokenise } from '../../src/domain/tokenise.ts'
import { createSearchService } from '../../src/search/create-search-service.ts'
import { makeSnippet } from '../../src/search/make-snippet.ts'
import { parseQuery } from '../../src/search/parse-query.ts'
import { buildSegment } from '../../src/search/segment.ts'
import { sortInSteps } from '../../src/search/sort-in-steps.ts'
import { createSessionStore } from '../../src/storage/create-session-store.ts'
import { createMemoryBackend } from '../../src/storage/memory-backend.ts'

const say = (content: string) => ({ type: 'message', message: { role: 'user', content } }) as const

/** Does all steps; gives how many there were. */
function finish<T>(steps: Generator<void, T, undefined>): { readonly value: T; readonly count: number } {
  for (let count = 0; ; count++) {
    const { done, value } = steps.next()
    if (done === true) return { value, count }
  }
}

const document = (text: string) => ({ session: 1, branch: '', order: '1', edit: '', at: 1, role: 'user', text })
const piece = fc.constantFrom('fox', ' ', ', ', '会话', '记', 'é', 'ﬀ', '👍🏽', '🇩🇪', '𠮷', '하세', '\n', 'Wolf')
const mixed = fc.array(piece, { maxLength: 60 }).map((pieces) => pieces.join(''))

describe('a text is taken apart', () => {
  it('the same whether at once or with pauses after any of its words', () => {
    fc.assert(
      fc.property(mixed, fc.integer({ min: 1, max: 5 }), (text, most) => {
        const whole: Token[] = []
        tokenise(text, (token) => void whole.push(token))
        const parts: Token[] = []
        for (let at = 0; at < text.length; ) {
          let count = 0
          at = tokenise(text, (token) => parts.push(token) > 0 && ++count < most, at)
        }
        expect(parts).toEqual(whole)
      }),
      { numRuns: 1000 },
    )
  })

  it.each([2047, 2048, 2049, 4096, 10_000])(
    'into every two characters that stand side by side, and the last, of a run of %i',
    (length) => {
      const run = Array.from({ length }, (_, i) => String.fromCharCode(0x4e00 + (i % 5000)))
      const terms: string[] = []
      tokenise(`a ${run.join('')}, b`, ({ term }) => void terms.push(term))
      expect(terms).toEqual(['a', ...run.map((one, i) => one + (run[i + 1] ?? '')), 'b'])
    },
  )

  it('into one word where data is encoded, however long', () => {
    const terms: string[] = []
    tokenise(`a ${'x'.repeat(100_000)} b`, ({ term }) => void terms.push(term))
    expect(terms).toEqual(['a', 'x'.repeat(64), 'b'])
  })
})

it('texts are sorted in steps as by a sort at once', () => {
  fc.assert(
    fc.property(fc.array(fc.string()), fc.integer({ min: 1, max: 9 }), (texts, stepSize) => {
      expect(finish(sortInSteps(texts, stepSize)).value).toEqual([...texts].sort())
    }),
  )
})

describe('a message of megabytes', () => {
  it.each([
    ['words', 'lorem ipsum dolor '.repeat(100_000)],
    ['Chinese', '会话记录'.repeat(250_000)],
    ['accents', 'é'.repeat(1_000_000)],
  ])('of %s is indexed, and looked through, in many steps', (_, text) => {
    const { value, count } = finish(buildSegment([document(`${text} needle`)]))
    expect(count).toBeGreaterThan(10)
    expect(value.terms.letters).toContain('needle')
    const found = finish(makeSnippet(`${text} needle`, parseQuery('needle', false)))
    expect(found.count).toBeGreaterThan(10)
    expect(found.value!.text).toMatch(/needle$/)
  })

  it('is shown where it has all that was asked for, beside what stands there', () => {
    const text = `${'fox '.repeat(50_000)}the fox has a needle`
    expect(finish(makeSnippet(text, parseQuery('fox needle', false))).value!.text).toMatch(/the fox has a needle$/)
  })
})

describe('a search that is closed', () => {
  it('does not first index what it has begun, and the next one takes in all of it once', async () => {
    const backend = createMemoryBackend()
    const store = createSessionStore(backend)
    for (let i = 0; i < 20; i++)
      await store.append(
        'k',
        Array.from({ length: 1000 }, (_, n) => say(`fox ${i} ${n} ${'word '.repeat(20)}`)),
      )
    let pages = 0
    const source = {
      ...backend,
      readRange: (range: Parameters<typeof backend.readRange>[0]) => (pages++, backend.readRange(range)),
    }
    const first = createSearchService({ source })
    while (pages < 3) await new Promise((resolve) => setTimeout(resolve, 0))
    await first.close()
    expect(pages).toBeLessThan(30)
    const second = createSearchService({ source: backend })
    const hits = await second.search({ query: 'fox', filter: { limit: 1000 }, known: [] })
    expect(new Set(hits.map(({ id }) => id)).size).toBe(1000)
    await second.close()
  })
})
