import { createHash } from 'node:crypto'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { SessionScope } from '../../../src/contract/scope.ts'
import { goNormal } from '../../../src/domain/identity/go-text.ts'
import {
  mainAlias,
  mainSessionKey,
  opaqueKey,
  scopeKey,
  scopeSignature,
} from '../../../src/domain/identity/session-key.ts'
import { allocations, opaqueKeys, texts } from './picoclaw-vectors.json'
import { anyText, respelled } from './support/texts.ts'

const scope: SessionScope = {
  version: 1,
  agent_id: 'main',
  channel: 'web',
  account: 'default',
  dimensions: ['chat'],
  values: { chat: 'direct:c1' },
}

/** Scopes as anybody might write them, normal or not. */
const anyScope: fc.Arbitrary<SessionScope> = fc
  .record({
    agent_id: anyText,
    channel: anyText,
    account: anyText,
    pairs: fc.uniqueArray(fc.tuple(fc.constantFrom('space', 'chat', 'topic', 'sender'), anyText), {
      selector: ([name]) => name,
    }),
  })
  .map(({ pairs, ...names }) => ({
    version: 1,
    ...names,
    dimensions: pairs.map(([name]) => name),
    values: Object.fromEntries(pairs),
  }))

describe('opaqueKey', () => {
  it.each(opaqueKeys)("gives PicoClaw's key for %j", (text = '', key) => expect(opaqueKey(text)).toBe(key))
  it.each(texts.map(([text, , , key]) => [text, key]))("gives PicoClaw's key for the text %j", (text = '', key) =>
    expect(opaqueKey(text)).toBe(key),
  )

  it.each(['', ' ', '\u0085\u3000'])('is empty for %j', (text) => expect(opaqueKey(text)).toBe(''))

  it('is the SHA-256 of the normal form, for a text of any characters and length', () => {
    fc.assert(
      fc.property(
        fc.oneof(anyText, fc.string({ unit: 'binary', minLength: 1, maxLength: 300, size: 'max' })),
        (text) => {
          fc.pre(goNormal(text) !== '')
          expect(opaqueKey(text)).toBe(`sk_v1_${createHash('sha256').update(goNormal(text), 'utf8').digest('hex')}`)
        },
      ),
    )
  })
})

describe('scopeSignature', () => {
  it.each(allocations)("gives PicoClaw's text for $name", ({ scope, signature }) =>
    expect(scopeSignature(scope as unknown as SessionScope)).toBe(signature),
  )

  it('keeps the order of the dimensions, which is part of the key', () => {
    const values = { chat: 'direct:c1', sender: 'u' }
    const one = { ...scope, dimensions: ['chat', 'sender'], values }
    const other = { ...scope, dimensions: ['sender', 'chat'], values }
    expect(scopeSignature(one)).toBe('v=1|agent=main|channel=web|account=default|chat=direct:c1|sender=u')
    expect(scopeSignature(other)).toBe('v=1|agent=main|channel=web|account=default|sender=u|chat=direct:c1')
    expect(scopeKey(one)).not.toBe(scopeKey(other))
  })

  it('has an empty value where a dimension has none, and no part for a blank dimension', () => {
    expect(scopeSignature({ ...scope, dimensions: [' ', 'Chat', 'topic', '__proto__', 'toString'] })).toBe(
      'v=1|agent=main|channel=web|account=default|chat=direct:c1|topic=|__proto__=|tostring=',
    )
    expect(scopeSignature({ ...scope, dimensions: ['chat'], values: { Chat: 'found by normal names only' } })).toMatch(
      /\|chat=$/,
    )
  })

  it('ignores values of no dimension', () => {
    expect(scopeSignature({ ...scope, values: { chat: 'direct:c1', sender: 'u' } })).toBe(scopeSignature(scope))
  })

  it('does not escape values: one may look like two dimensions, as in PicoClaw', () => {
    const forged = { ...scope, values: { chat: 'direct:a|sender=b' } }
    const real = { ...scope, dimensions: ['chat', 'sender'], values: { chat: 'direct:a', sender: 'b' } }
    expect(scopeKey(forged)).toBe(scopeKey(real))
  })

  it('refuses what is no scope', () => {
    for (const bad of [
      undefined,
      null,
      'text',
      [],
      {},
      { ...scope, version: 2 },
      { ...scope, agent_id: 5 },
      { ...scope, values: { chat: 1 } },
    ]) {
      expect(() => scopeSignature(bad as never)).toThrow(expect.objectContaining({ name: 'InvalidInput' }))
    }
  })
})

describe('scopeKey', () => {
  it.each(allocations)("gives PicoClaw's key for $name", ({ scope, sessionKey }) =>
    expect(scopeKey(scope as unknown as SessionScope)).toBe(sessionKey),
  )

  it('is the same for equal scopes, whatever their case and white space', () => {
    const twice = anyScope.chain((one) =>
      fc.tuple(
        fc.constant(one),
        respelled(one.agent_id),
        respelled(one.channel),
        respelled(one.account),
        fc.tuple(
          ...(one.dimensions ?? []).map((name) => fc.tuple(respelled(name), respelled(one.values?.[name] ?? ''))),
        ),
      ),
    )
    fc.assert(
      fc.property(twice, ([one, agent_id, channel, account, pairs]) => {
        const values = Object.fromEntries(pairs.map(([name, value]) => [goNormal(name), value]))
        expect(
          scopeKey({ version: 1, agent_id, channel, account, dimensions: pairs.map(([name]) => name), values }),
        ).toBe(scopeKey(one))
      }),
    )
  })

  it('is another one wherever the signature is another', () => {
    // Of so few texts that many signatures are equal, some by a value that looks like two.
    const value = fc.constantFrom('a', 'A ', 'b', 'a|sender=b', 'a|sender=')
    const few = fc.record({
      version: fc.constant(1 as const),
      agent_id: fc.constant('main'),
      channel: fc.constant('web'),
      account: fc.constant('default'),
      dimensions: fc.constantFrom(['chat'], ['chat', 'sender'], ['sender', 'chat']),
      values: fc.record({ chat: value, sender: value }),
    })
    fc.assert(
      fc.property(few, few, (one, other) => {
        expect(scopeKey(one) === scopeKey(other)).toBe(scopeSignature(one) === scopeSignature(other))
      }),
    )
  })

  it('is another one for another value of one dimension', () => {
    fc.assert(
      fc.property(anyScope, fc.constantFrom('space', 'chat', 'topic', 'sender'), anyText, (one, name, value) => {
        fc.pre(one.dimensions?.includes(name) === true && goNormal(value) !== goNormal(one.values?.[name] ?? ''))
        expect(scopeKey({ ...one, values: { ...one.values, [name]: value } })).not.toBe(scopeKey(one))
      }),
    )
  })
})

describe('mainSessionKey', () => {
  it('is the opaque key of the main alias', () => {
    expect([mainAlias(' My Agent!! '), mainAlias('')]).toEqual(['agent:my-agent:main', 'agent:main:main'])
    expect(mainSessionKey('Main')).toBe('sk_v1_6d9217fe77c7f11d9cc992aabe81a2d09604e9c48babbda8fdad3791f9c19f3b')
    expect(mainSessionKey('sales')).toBe('sk_v1_07acf90f25660558d2275b3eb6697626ac1341a7c8e4b9b3b80a3cb7a22ec0ef')
  })
})
