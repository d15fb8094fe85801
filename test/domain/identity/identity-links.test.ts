import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { IdentityLinks } from '../../../src/contract/message-identity.ts'
import { goNormal } from '../../../src/domain/identity/go-text.ts'
import { canonicalSender, linkedIdentity } from '../../../src/domain/identity/identity-links.ts'
import { anyId, anyText, respelled } from './support/texts.ts'

const links: IdentityLinks = { Alice: ['telegram:111', 'slack:U9', '222'], Bob: ['111', ' Web:B '] }

describe('linkedIdentity', () => {
  it.each<[string, string, string, string | undefined]>([
    ['finds an id by its channel', 'telegram', '111', 'alice'],
    ['finds an id as it is', 'slack', '222', 'alice'],
    ['finds an id that has its channel already', 'slack', 'slack:U9', 'alice'],
    ['finds an id by what follows its first colon', 'x', 'discord:222', 'alice'],
    ['looks past the first colon only', 'x', 'a:b:222', undefined],
    ['ignores case and outer white space', ' WEB ', '\u3000b', 'bob'],
    ['does not find an id of another channel', 'web', 'u9', undefined],
    ['does not cut at a colon in front', 'x', ':222', undefined],
    ['does not cut at a colon at the end', 'x', '222:', undefined],
    ['finds nobody for a blank id', 'telegram', ' ', undefined],
    ['tries no channel when there is none', '', '111', 'bob'],
  ])('%s', (_, channel, id, name) => expect(linkedIdentity(channel, id, links)).toBe(name))

  it('takes the first name that has the id, in order of insertion', () => {
    expect(linkedIdentity('', '1', { Zoe: ['1'], Ann: ['1'] })).toBe('zoe')
    expect(linkedIdentity('', '1', { Ann: ['1'], Zoe: ['1'] })).toBe('ann')
  })

  it('takes whole numbers first in an object, and keeps the order of pairs', () => {
    expect(linkedIdentity('', '1', { Ann: ['1'], 7: ['1'] })).toBe('7')
    expect(
      linkedIdentity('', '1', [
        ['Ann', ['1']],
        ['7', ['1']],
      ]),
    ).toBe('ann')
  })

  it('passes over blank names and blank ids', () => {
    expect(
      linkedIdentity('', '1', [
        [' ', ['1']],
        ['Ann', ['', '1']],
      ]),
    ).toBe('ann')
    expect([linkedIdentity('web', 'x', { Ann: ['', ' '] }), linkedIdentity('web', 'x:', { Ann: [''] })]).toEqual([
      undefined,
      undefined,
    ])
    expect(linkedIdentity(' ', '1', { Ann: [':1'] })).toBeUndefined()
  })

  it('knows nobody without links, nor by names that every object has', () => {
    expect([
      linkedIdentity('web', 'constructor', undefined),
      linkedIdentity('web', 'x', null),
      linkedIdentity('web', 'constructor', {}),
    ]).toEqual([undefined, undefined, undefined])
  })

  it.each<[unknown, string]>([
    ['text', 'identityLinks is "text". '],
    [{ Ann: '1' }, 'identityLinks.Ann is "1". Pass a list'],
    [{ Ann: [1] }, 'identityLinks.Ann[0] is 1. Pass it as a string: "1".'],
    [[['Ann', ['1']], 5], 'identityLinks[1] is 5. '],
    [[[5, ['1']]], 'identityLinks[0][0] is 5. '],
  ])('refuses the links %j', (bad, message) => {
    expect(() => linkedIdentity('web', 'x', bad as never)).toThrow(
      expect.objectContaining({ name: 'InvalidInput', message: expect.stringContaining(message) as string }),
    )
  })
})

describe('canonicalSender', () => {
  it('is the name that links give, otherwise the id', () => {
    expect([
      canonicalSender('slack', 'u9', links),
      canonicalSender('slack', ' U8 ', links),
      canonicalSender('slack', ' '),
    ]).toEqual(['alice', 'u8', ''])
  })

  it('is one and the same for every spelling of a linked id, of all of Unicode', () => {
    const spelled = fc
      .tuple(anyId, anyId, anyText)
      .chain(([name, id, channel]) => fc.tuple(fc.constant({ name, id, channel }), respelled(id), respelled(channel)))
    fc.assert(
      fc.property(spelled, ([{ name, id, channel }, sameId, sameChannel]) => {
        expect(canonicalSender(sameChannel, sameId, [[name, [id]]])).toBe(goNormal(name))
        expect(canonicalSender(sameChannel, sameId)).toBe(canonicalSender(channel, id))
      }),
    )
  })
})
