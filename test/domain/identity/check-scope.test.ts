import { describe, expect, it } from 'vitest'
import { checkScope } from '../../../src/domain/identity/check-scope.ts'

const scope = { version: 1, agent_id: 'main', channel: 'web', account: 'default' }

describe('checkScope', () => {
  it.each([
    [scope],
    [{ ...scope, dimensions: null, values: null }],
    [{ ...scope, dimensions: ['chat'], values: { chat: 'direct:1' } }],
    [{ ...scope, added_later: { by: 'another version' } }],
  ])('takes %j', (one) => expect(checkScope(one)).toBe(one))

  it.each<[unknown, string]>([
    [undefined, 'scope is missing. '],
    [null, 'scope is null. '],
    ['x', 'scope is "x". '],
    [[], 'scope is a list. '],
    [{}, 'scope.version is missing. Only version 1 is supported.'],
    [{ ...scope, version: 2 }, 'scope.version is 2. Only version 1 is supported.'],
    [{ ...scope, version: '1' }, 'scope.version is "1". '],
    [{ ...scope, agent_id: undefined }, 'scope.agent_id is missing. '],
    [{ ...scope, channel: 5 }, 'scope.channel is 5. '],
    [{ ...scope, account: {} }, 'scope.account is an object. '],
    [{ ...scope, dimensions: 'chat' }, 'scope.dimensions is "chat". '],
    [{ ...scope, dimensions: ['chat', null] }, 'scope.dimensions[1] is null. '],
    [{ ...scope, values: [] }, 'scope.values is a list. '],
    [{ ...scope, values: { chat: 7 } }, 'scope.values.chat is 7. '],
  ])('refuses %j', (bad, message) => {
    expect(() => checkScope(bad)).toThrow(
      expect.objectContaining({ name: 'InvalidInput', message: expect.stringContaining(message) as string }),
    )
  })

  it('says where it was asked to look', () => {
    expect(() => checkScope({}, 'meta.scope')).toThrow('meta.scope.version is missing')
  })
})
