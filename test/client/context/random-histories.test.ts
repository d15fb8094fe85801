import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { clearConversation } from '../../../src/client/context/clear-conversation.ts'
import { compactSession } from '../../../src/client/context/compact-session.ts'
import type { SummaryRequest } from '../../../src/client/context/context-types.ts'
import { readContext } from '../../../src/client/context/read-context.ts'
import type { Message } from '../../../src/contract/message.ts'
import type { SessionStore } from '../../../src/contract/store/session-store.ts'
import { leadingSystem } from '../../../src/domain/context/leading-system.ts'
import { modelMessage } from '../../../src/domain/context/model-message.ts'
import { turnStarts } from '../../../src/domain/context/turn-starts.ts'
import { anyHistory, isPartOf, unpairedIn } from '../../domain/context/support/histories.ts'
import { isFull } from '../../model/support/laws.ts'
import { createDevice, say } from './support/stores.ts'

/** `npm run test:model` runs them at full length. */
const runs = isFull ? { whole: 2500, changed: 1000 } : { whole: 600, changed: 250 }

/** What happens to a conversation between its messages. */
type Event =
  | { readonly say: Message[] }
  | { readonly truncate: number }
  | { readonly compact: number; readonly by: 'turns' | 'tokens' | 'store' }

const event: fc.Arbitrary<Event> = fc.oneof(
  { weight: 4, arbitrary: anyHistory.map((messages) => ({ say: messages })) },
  { weight: 1, arbitrary: fc.nat({ max: 12 }).map((truncate) => ({ truncate })) },
  {
    weight: 2,
    arbitrary: fc.record({
      compact: fc.integer({ min: 1, max: 8 }),
      by: fc.constantFrom('turns' as const, 'tokens' as const, 'store' as const),
    }),
  },
)

const cost = (message: Message): number => 1 + (JSON.stringify(message).length % 7)
const shown = (history: readonly Message[]): Message[] =>
  history.flatMap((message) => modelMessage({ type: 'message', message }) ?? [])

describe(`${(4 * runs.whole).toLocaleString('en')} random histories, cut and compacted at random places`, () => {
  it.each([1, 2, 3, 4])(
    'never give a context with an unpaired call, a torn turn or anything invented (part %i)',
    { timeout: 300_000 },
    async () => {
      await fc.assert(
        fc.asyncProperty(fc.array(event, { maxLength: 4 }), fc.nat({ max: 80 }), async (events, maxTokens) => {
          const { store } = createDevice()
          for (const event of events) {
            if ('say' in event) await (event.say.length > 0 ? say(store, event.say) : undefined)
            else if ('truncate' in event) await store.truncateHistory('s', event.truncate)
            else if (event.by === 'store') await store.setCompaction('s', { summary: '', keepLast: event.compact })
            else {
              const keep = event.by === 'turns' ? { keepTurns: event.compact } : { keepTokens: event.compact * 3 }
              const summarise = ({ messages }: { readonly messages: readonly Message[] }): string => {
                expect(unpairedIn(messages)).toEqual([])
                return 'summary'
              }
              await compactSession({ store, key: 's' }, { ...keep, summarise, force: true, countTokens: cost })
            }
          }
          const history = shown(
            (await store.read('s', { view: 'raw', after: '', limit: 4096 })).entries.flatMap(
              ({ message }) => message ?? [],
            ),
          )
          const kept = shown(await store.getHistory('s'))
          const { hidden } = await store.read('s', { view: 'context', last: 1 })
          const whole = await readContext(store, 's', { system: 'apart', countTokens: cost })
          const fitted = await readContext(store, 's', { system: 'apart', countTokens: cost, maxTokens })

          for (const { messages } of [whole, fitted]) {
            expect(unpairedIn(messages)).toEqual([])
            expect(isPartOf(messages, history)).toBe(true)
            expect(isPartOf(messages, [...(hidden?.messages ?? []), ...kept])).toBe(true)
          }
          expect(whole.leftOut).toBe(0)
          if (fitted.fits) expect(fitted.tokens.total).toBeLessThanOrEqual(maxTokens)
          // What fits is the system messages in front and the whole from the start of some turn on.
          const source = [...(hidden?.messages ?? []), ...kept]
          const lead = leadingSystem(source)
          const newest = turnStarts(source).at(-1)
          const { messages } = whole
          const cuts = [...turnStarts(messages), messages.length].map((from) => [
            ...messages.slice(0, Math.min(lead, from)),
            ...messages.slice(from),
          ])
          if (fitted.fits)
            expect([messages, [], ...cuts].map((cut) => JSON.stringify(cut))).toContain(JSON.stringify(fitted.messages))
          // Of a newest turn that does not fit, its start and the end of it.
          else expect(isPartOf(fitted.messages, [...source.slice(0, lead), ...source.slice(newest ?? lead)])).toBe(true)
          if (newest !== undefined) expect(fitted.messages).toContainEqual(source[newest])
          if (fitted.leftOut === 0) expect(fitted.messages).toEqual(messages)
        }),
        { numRuns: runs.whole },
      )
    },
  )
})

/** What somebody else does while a summary is made. Places are counted from the beginning of what a model gets. */
type Meanwhile =
  | { readonly say: number }
  | { readonly remove: number }
  | { readonly edit: number }
  | { readonly truncate: number }
  | { readonly clear: true }

const meanwhile: fc.Arbitrary<Meanwhile> = fc.oneof(
  fc.integer({ min: 1, max: 3 }).map((say) => ({ say })),
  fc.nat({ max: 30 }).map((remove) => ({ remove })),
  fc.nat({ max: 30 }).map((edit) => ({ edit })),
  fc.nat({ max: 30 }).map((truncate) => ({ truncate })),
  fc.constant({ clear: true as const }),
)

/** Every message of it says something that no other one says. */
function createTalk(store: SessionStore) {
  let count = 0
  const next = (): string => `<${count++}>`
  const messages = (turns: number): Message[] =>
    Array.from({ length: turns }, (): Message[] => [
      { role: 'user', content: next() },
      { role: 'assistant', content: next() },
    ]).flat()
  return {
    messages,
    say: (turns: number) => say(store, messages(turns)),
    async act(event: Meanwhile): Promise<void> {
      const { entries } = await store.read('s', { view: 'context', after: '', limit: 4096 })
      if ('say' in event) await this.say(event.say)
      else if ('clear' in event) await clearConversation(store, 's')
      else if ('truncate' in event) await store.truncateHistory('s', event.truncate)
      else {
        const target = entries['remove' in event ? event.remove : event.edit]
        if (target === undefined) return
        if ('remove' in event) await store.remove('s', target)
        else await store.edit('s', target, { role: 'user', content: next() })
      }
    },
  }
}

describe(`${runs.changed.toLocaleString('en')} random histories that are changed while they are summarised`, () => {
  /** @param front - turns that an earlier compaction put in front */
  const neverTellWhatIsGone = (front: fc.Arbitrary<number>) => async (): Promise<void> => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: 8 }),
        fc.option(fc.record({ keepLast: fc.integer({ min: 1, max: 6 }), front })),
        fc.constantFrom('turns' as const, 'tokens' as const),
        fc.integer({ min: 1, max: 4 }),
        fc.array(meanwhile, { maxLength: 3 }),
        async (turns, earlier, by, keep, events) => {
          const { store } = createDevice()
          const talk = createTalk(store)
          await talk.say(turns)
          if (earlier !== null)
            await store.setCompaction('s', {
              summary: earlier.front === 4 ? '' : '<old>',
              messages: talk.messages(earlier.front),
              keepLast: earlier.keepLast,
            })
          await talk.say(2)
          let gone: string[] = []
          const summarise = async ({ messages, previousSummary }: SummaryRequest): Promise<string> => {
            const told = [
              ...(previousSummary === '' ? [] : [previousSummary]),
              ...messages.map(({ content }) => content as string),
            ]
            for (const event of events) await talk.act(event)
            const { entries, hidden } = await store.read('s', { view: 'context', after: '', limit: 4096 })
            const left = new Set([
              hidden!.summary,
              ...(hidden!.messages ?? []).map(({ content }) => content),
              ...entries.map(({ message }) => message?.content),
            ])
            gone = told.filter((text) => !left.has(text))
            return told.join('')
          }
          const { status } = await compactSession(
            { store, key: 's' },
            {
              ...(by === 'turns' ? { keepTurns: keep } : { keepTokens: keep }),
              summarise,
              force: true,
              countTokens: () => 1,
            },
          )
          const { hidden } = await store.read('s', { view: 'context', last: 1 })
          for (const text of gone) expect(JSON.stringify(hidden)).not.toContain(text)
          // What nobody touched is compacted.
          if (events.every((event) => 'say' in event)) expect(status).not.toBe('superseded')
        },
      ),
      { numRuns: runs.changed },
    )
  }
  it(
    'never get a summary with text that was hidden, removed or edited before it was stored',
    { timeout: 120_000 },
    neverTellWhatIsGone(fc.constant(0)),
  )
  it(
    'never get one with what an earlier compaction had put in front, when that was cut off before',
    { timeout: 120_000 },
    neverTellWhatIsGone(fc.nat({ max: 4 })),
  )
})
