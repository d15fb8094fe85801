import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { normaliseAccountId, normaliseAgentId, normaliseChannel } from '../../../src/domain/identity/normalise-id.ts'
import { anyText } from './support/texts.ts'

describe('normaliseAgentId', () => {
  it.each<[string, string, string]>([
    ['keeps a valid id', 'support_2-b', 'support_2-b'],
    ['lowers and trims', '\u3000 Support\u0085', 'support'],
    ['names a blank one main', ' \t\u0085', 'main'],
    ['makes one hyphen of other characters in a row', 'my   agent!!x', 'my-agent-x'],
    ['keeps hyphens that were there', 'a--b!', 'a--b'],
    ['strips hyphens around', '-!agent!-', 'agent'],
    ['keeps underscores around, which a valid id may not begin with', '_x_', '_x_'],
    ['names one main that has nothing valid', '名前!', 'main'],
    ['lowers U+0130 to a valid letter', '\u0130stanbul', 'istanbul'],
    ['does not trim U+FEFF, which becomes a hyphen and goes', '\ufeffagent', 'agent'],
    ['takes 64 characters', 'a'.repeat(64), 'a'.repeat(64)],
    ['cuts the 65th', 'a'.repeat(65), 'a'.repeat(64)],
    ['may leave a hyphen where it cuts', `${'a'.repeat(63)} b`, `${'a'.repeat(63)}-`],
    ['strips before it cuts', `--${'a'.repeat(64)}`, 'a'.repeat(64)],
  ])('%s', (_, id, normal) => expect(normaliseAgentId(id)).toBe(normal))

  it('is 1 to 64 of a-z, 0-9, _ and - for any text', () => {
    fc.assert(
      fc.property(fc.oneof(anyText, fc.string({ unit: 'binary', maxLength: 100 })), (id) => {
        expect(normaliseAgentId(id)).toMatch(/^[a-z0-9_-]{1,64}$/)
      }),
    )
  })

  it('takes a million hyphens in its stride', () => {
    expect(normaliseAgentId(`a${'-'.repeat(1_000_000)}b`)).toBe(`a${'-'.repeat(63)}`)
  })
})

describe('normaliseAccountId', () => {
  it.each([
    ['', 'default'],
    ['!', 'default'],
    ['Acct@Home..', 'acct-home'],
    ['Bot A', 'bot-a'],
  ])('makes of %j %j', (id, normal) => expect(normaliseAccountId(id)).toBe(normal))
})

describe('normaliseChannel', () => {
  it.each([
    ['', 'unknown'],
    [' \u0085', 'unknown'],
    [' Slack ', 'slack'],
    ['My Channel!', 'my channel!'],
  ])('makes of %j %j', (channel, normal) => expect(normaliseChannel(channel)).toBe(normal))
})
