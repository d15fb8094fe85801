import { describe, expect, it } from 'vitest'
import type { EntryView } from '../../../src/contract/entry.ts'
import type { Message } from '../../../src/contract/message.ts'
import { type KeptPart, planCompaction } from '../../../src/domain/context/plan-compaction.ts'

/** Turns of two messages, `q<n>` and `a<n>`. */
const turns = (from: number, to: number): Message[] =>
  Array.from({ length: to - from }, (_, i) => [
    { role: 'user', content: `q${from + i}` },
    { role: 'assistant', content: `a${from + i}` },
  ]).flat()
const entriesOf = (messages: readonly Message[]): EntryView[] =>
  messages.map(
    (message, i) => ({ id: `${i}@w`, branch: '', order: `${i}`, type: 'message', message }) as unknown as EntryView,
  )
const system: Message = { role: 'system', content: 'Be kind.' }
const tokens = (count: number): KeptPart => ({ tokens: count, countTokens: () => 1 })

describe('what a compaction put in front', () => {
  const carried = [system, ...turns(0, 50)]
  const entries = entriesOf(turns(50, 52))

  it.each<[string, KeptPart]>([
    ['turns', { turns: 20 }],
    ['tokens', tokens(40)],
  ])('counts as %s, and what stays of it goes on in front', (_, keep) => {
    const plan = planCompaction(entries, carried, keep)
    expect(plan).toEqual({
      firstKept: 0,
      summarised: turns(0, 32),
      carried: [system, ...turns(32, 50)],
      kept: turns(50, 52),
      isSplit: false,
    })
  })

  it('is summarised as a whole when the cut is behind it', () => {
    const plan = planCompaction(entries, carried, { turns: 1 })
    expect(plan).toMatchObject({ firstKept: 2, summarised: turns(0, 51), carried: [system], kept: turns(51, 52) })
  })

  it('stays as a whole when the cut is right in front of the first entry', () => {
    expect(planCompaction(entries, carried, { turns: 2 })).toMatchObject({
      firstKept: 0,
      summarised: turns(0, 50),
      carried: [system],
      kept: turns(50, 52),
    })
  })

  it('may be split in a turn', () => {
    expect(planCompaction(entries, carried, tokens(5))).toMatchObject({
      firstKept: 0,
      carried: [system, turns(49, 50)[1]],
      isSplit: true,
    })
  })

  it('needs an entry behind it', () => expect(planCompaction([], carried, tokens(5))).toBeUndefined())
})
