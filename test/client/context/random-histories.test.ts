import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { compactSession } from '../../../src/client/context/compact-session.ts'
import { readContext } from '../../../src/client/context/read-context.ts'
import type { Message } from '../../../src/contract/message.ts'
import { leadingSystem } from '../../../src/domain/context/leading-system.ts'
import { modelMessage } from '../../../src/domain/context/model-message.ts'
import { turnStarts } from '../../../src/domain/context/turn-starts.ts'
import { anyHistory, isPartOf, unpairedIn } from '../../domain/context/support/histories.ts'
import { createDevice, say } from './support/stores.ts'

/** What happens to a conversation between its messages. */
type Event = { readonly say: Message[] } | { readonly truncate: number } | { readonly compact: number; readonly by: 'turns' | 'tokens' | 'store' }

const event: fc.Arbitrary<Event> = fc.oneof(
  { weight: 4, arbitrary: anyHistory.map((messages) => ({ say: messages })) },
  { weight: 1, arbitrary: fc.nat({ max: 12 }).map((truncate) => ({ truncate })) },
  { weight: 2, arbitrary: fc.record({ compact: fc.integer({ min: 1, max: 8 }), by: fc.constantFrom('turns' as const, 'tokens' as const, 'store' as const) }) },
)

const cost = (message: Message): number => 1 + (JSON.stringify(message).length % 7)
const shown = (history: readonly Message[]): Message[] => history.flatMap((message) => modelMessage({ type: 'message', message }) ?? [])

describe('10,000 random histories, cut and compacted at random places', () => {
  it.each([1, 2, 3, 4])('never give a context with an unpaired call, a torn turn or anything invented (part %i)', { timeout: 300_000 }, async () => {
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
        const history = shown((await store.read('s', { view: 'raw', after: '', limit: 4096 })).entries.flatMap(({ message }) => message ?? []))
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
        const cuts = [...turnStarts(messages), messages.length].map((from) => [...messages.slice(0, Math.min(lead, from)), ...messages.slice(from)])
        if (fitted.fits) expect([messages, [], ...cuts].map((cut) => JSON.stringify(cut))).toContain(JSON.stringify(fitted.messages))
        // Of a newest turn that does not fit, its start and the end of it.
        else expect(isPartOf(fitted.messages, [...source.slice(0, lead), ...source.slice(newest ?? lead)])).toBe(true)
        if (newest !== undefined) expect(fitted.messages).toContainEqual(source[newest])
        if (fitted.leftOut === 0) expect(fitted.messages).toEqual(messages)
      }),
      { numRuns: 2500 },
    )
  })
})
