import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { goNormal } from '../../../src/domain/identity/go-text.ts'
import {
  agentIdOf,
  isExplicitKey,
  isLegacyKey,
  isOpaqueKey,
  parseLegacyKey,
  resolveScopeKey,
} from '../../../src/domain/identity/key-kind.ts'
import { anyText } from './support/texts.ts'

const opaque = 'sk_v1_6d9217fe77c7f11d9cc992aabe81a2d09604e9c48babbda8fdad3791f9c19f3b'

describe('the kind of a key', () => {
  it.each<[string, { opaque: boolean; legacy: boolean; parts: [string, string] | undefined }]>([
    [opaque, { opaque: true, legacy: false, parts: undefined }],
    [` SK_V1_x\u0085`, { opaque: true, legacy: false, parts: undefined }],
    ['\ufeffsk_v1_x', { opaque: false, legacy: false, parts: undefined }],
    ['agent:main:main', { opaque: false, legacy: true, parts: ['main', 'main'] }],
    [' agent:a:b:c:d ', { opaque: false, legacy: true, parts: ['a', 'b:c:d'] }],
    ['agent:A b:x\ny', { opaque: false, legacy: true, parts: ['A b', 'x\ny'] }],
    ['Agent:main:main', { opaque: false, legacy: true, parts: undefined }],
    ['agent:', { opaque: false, legacy: true, parts: undefined }],
    ['agent:main', { opaque: false, legacy: true, parts: undefined }],
    ['agent:main:', { opaque: false, legacy: true, parts: undefined }],
    ['agent::main', { opaque: false, legacy: true, parts: undefined }],
    ['agents:main:main', { opaque: false, legacy: false, parts: undefined }],
    ['ses-1700000000000', { opaque: false, legacy: false, parts: undefined }],
    ['', { opaque: false, legacy: false, parts: undefined }],
  ])('of %j', (key, { opaque, legacy, parts }) => {
    expect([isOpaqueKey(key), isLegacyKey(key), isExplicitKey(key)]).toEqual([opaque, legacy, opaque || legacy])
    expect(parseLegacyKey(key)).toEqual(parts && { agentId: parts[0], rest: parts[1] })
  })

  it('is legacy wherever the key has legacy parts', () => {
    const almost = fc
      .tuple(fc.constantFrom('agent', 'Agent', ' agent', 'agen'), anyText, anyText)
      .map((parts) => parts.join(':'))
    fc.assert(
      fc.property(almost, (key) => {
        expect(parseLegacyKey(key) === undefined || isLegacyKey(key)).toBe(true)
      }),
    )
  })
})

describe('agentIdOf', () => {
  it.each<[string, string, { agent_id: string } | undefined, string | undefined]>([
    ["takes the scope's", 'agent:sales:main', { agent_id: ' Support ' }, 'support'],
    ["takes the key's when the scope names none", 'agent:My Sales:main', { agent_id: ' ' }, 'my-sales'],
    ["takes the key's when there is no scope", 'agent:sales:main', undefined, 'sales'],
    ['finds none in an opaque key', opaque, undefined, undefined],
    ['finds none in a key of another form', 'ses-1', undefined, undefined],
  ])('%s', (_, key, scope, agentId) => expect(agentIdOf(key, scope)).toBe(agentId))
})

describe('resolveScopeKey', () => {
  it.each([opaque, ' SK_V1_X ', 'agent:main:direct:U1', 'Agent:x', 'agent:'])(
    'keeps the explicit key %j verbatim',
    (key) => {
      expect(resolveScopeKey('route', key)).toBe(key)
    },
  )

  it.each([undefined, null, '', ' ', 'ses-1', 'telegram:1'])("takes the route's key when the message has %j", (key) => {
    expect(resolveScopeKey('route', key)).toBe('route')
  })

  it.each(['', ' \u0085', undefined, null, 5])('refuses the blank route key %j', (key) => {
    expect(() => resolveScopeKey(key as string)).toThrow(expect.objectContaining({ name: 'InvalidInput' }))
  })

  it('gives one of the two, never a blank one, for any texts', () => {
    fc.assert(
      fc.property(anyText, anyText, (route, key) => {
        fc.pre(goNormal(route) !== '')
        expect(resolveScopeKey(route, key)).toBe(isExplicitKey(key) ? key : route)
      }),
    )
  })
})
