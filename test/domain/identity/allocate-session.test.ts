import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type {
  AllocationInput,
  InboundContext,
  PicoclawContext,
  SessionPolicy,
} from '../../../src/contract/message-identity.ts'
import { allocateSession } from '../../../src/domain/identity/allocate-session.ts'
import { goNormal } from '../../../src/domain/identity/go-text.ts'
import { isOpaqueKey } from '../../../src/domain/identity/key-kind.ts'
import { scopeSignature } from '../../../src/domain/identity/session-key.ts'
import { allocations } from './picoclaw-vectors.json'
import { anyText, respelled } from './support/texts.ts'

const signature = (context: InboundContext | PicoclawContext, policy?: SessionPolicy, agentId = 'main'): string =>
  scopeSignature(allocateSession({ agentId, context, ...(policy === undefined ? {} : { policy }) }).scope)

const ids = ['chatId', 'topicId', 'spaceId', 'senderId'] as const
const fields = ['channel', 'account', 'chatType', 'spaceType', ...ids] as const

const anyContext: fc.Arbitrary<Required<Pick<InboundContext, (typeof fields)[number]>>> = fc.record({
  channel: fc.oneof(fc.constantFrom('telegram', 'web'), anyText),
  account: anyText,
  chatType: fc.oneof(fc.constantFrom('', 'direct', 'group'), anyText),
  spaceType: anyText,
  chatId: anyText,
  topicId: anyText,
  spaceId: anyText,
  senderId: anyText,
})
const anyDimensions = fc.shuffledSubarray(['space', 'chat', 'topic', 'sender'])

describe('allocateSession gives what PicoClaw gave', () => {
  it.each(allocations)('for $name', ({ input, scope, sessionKey, sessionAliases, mainSessionKey, mainAliases }) => {
    expect(allocateSession(input as AllocationInput)).toEqual({
      scope,
      sessionKey,
      sessionAliases,
      mainSessionKey,
      mainAliases,
    })
  })

  const forum = { channel: 'telegram', chatId: '-1001234567890', chatType: 'group', topicId: '42', senderId: '7' }
  const slack = {
    channel: 'slack',
    account: 'bot-a',
    spaceId: 'T001',
    spaceType: 'workspace',
    chatId: 'C123',
    chatType: 'channel',
    topicId: '1710000000.9999',
    senderId: 'U123',
  }
  it.each<[string, string, Parameters<typeof signature>]>([
    [
      'one session for each sender',
      'v=1|agent=main|channel=telegram|account=default|sender=user123',
      [{ channel: 'telegram', chatId: 'dm-123', senderId: 'User123' }, { dimensions: ['sender'] }],
    ],
    ['a forum topic', 'v=1|agent=main|channel=telegram|account=default|chat=group:-1001234567890/42', [forum]],
    [
      'a forum with an explicit topic',
      'v=1|agent=main|channel=telegram|account=default|chat=group:-1001234567890|topic=topic:42',
      [forum, { dimensions: ['chat', 'topic'] }],
    ],
    [
      'all four dimensions',
      'v=1|agent=support|channel=slack|account=bot-a|space=workspace:t001|chat=channel:c123|topic=topic:1710000000.9999|sender=u123',
      [slack, { dimensions: ['space', 'chat', 'topic', 'sender'] }, 'support'],
    ],
  ])('for %s', (_, text, input) => expect(signature(...input)).toBe(text))
})

describe('allocateSession', () => {
  it("takes PicoClaw's own spelling, and leaves its other fields alone", () => {
    const context = {
      channel: 'Slack',
      account: 'A',
      chat_id: 'C',
      chat_type: 'Group',
      topic_id: 'T',
      space_id: 'S',
      space_type: 'Guild',
      sender_id: 'U',
      mentioned: true,
      message_id: 'm1',
      raw: { any: 1 },
    }
    expect(signature(context, { dimensions: ['space', 'chat', 'topic', 'sender'] })).toBe(
      'v=1|agent=main|channel=slack|account=a|space=guild:s|chat=group:c|topic=topic:t|sender=u',
    )
  })

  it('sets chats apart when no policy says otherwise, and nothing when it says so', () => {
    const context = { channel: 'web', chatId: 'c1', senderId: 'u' }
    for (const policy of [undefined, {}, { dimensions: ['chat'] }])
      expect(signature(context, policy)).toMatch(/\|account=default\|chat=direct:c1$/)
    for (const dimensions of [null, []]) expect(signature(context, { dimensions })).toMatch(/\|account=default$/)
  })

  it('leaves dimensions and values out of a scope that has none', () => {
    expect(allocateSession({ context: { channel: 'web' } }).scope).toEqual({
      version: 1,
      agent_id: 'main',
      channel: 'web',
      account: 'default',
    })
  })

  it('ignores names that are no dimension, and takes one named twice twice, as PicoClaw does', () => {
    const dimensions = ['toString', '__proto__', '', 'user', 'CHAT', 'chat', 'chat']
    expect(signature({ channel: 'web', chatId: 'c1', senderId: 'u' }, { dimensions })).toMatch(
      /\|account=default\|chat=direct:c1\|chat=direct:c1$/,
    )
  })

  it('has one key for topics of other channels, and one for each Telegram topic', () => {
    const key = (channel: string, topicId: string, chatType = 'group') =>
      allocateSession({ context: { channel, chatId: '1', chatType, topicId } }).sessionKey
    expect(key('discord', '1')).toBe(key('discord', '2'))
    expect(key(' Telegram ', '1')).not.toBe(key('telegram', '2'))
    expect(key('telegram', '1', 'direct')).not.toBe(key('telegram', '2', 'direct'))
    expect(signature({ channel: 'telegram', topicId: '1' })).toMatch(/\|account=default$/)
    expect(signature({ channel: 'telegram', chatId: '1', topicId: ' ' })).toMatch(/\|chat=direct:1$/)
  })

  it('keeps Telegram topics together for a policy that names topics in another spelling, as PicoClaw does', () => {
    const context = { channel: 'telegram', chatId: '1', chatType: 'group', topicId: '2' }
    expect(signature(context, { dimensions: ['chat', ' Topic'] })).toMatch(/\|chat=group:1$/)
  })

  it('gives two keys to one person on two channels: links change the sender, not the channel', () => {
    const policy = { dimensions: ['sender'], identityLinks: { Alice: ['telegram:1', 'slack:u9'] } }
    const [one, other] = [
      { channel: 'telegram', senderId: '1' },
      { channel: 'slack', senderId: 'U9' },
    ].map((context) => allocateSession({ context: { ...context, chatType: 'direct' }, policy }))
    expect([one?.scope.values, other?.scope.values]).toEqual([{ sender: 'alice' }, { sender: 'alice' }])
    expect(one?.sessionKey).not.toBe(other?.sessionKey)
    const common = one?.sessionAliases.filter((alias) => other?.sessionAliases.includes(alias))
    expect(common).toEqual(['agent:main:main', 'agent:main:direct:alice'])
  })

  it.each<[unknown, string]>([
    [undefined, 'context is missing. Pass where the message comes from'],
    [{ context: null }, 'context is null. '],
    [{ context: 'web' }, 'context is "web". '],
    [{ context: { channel: 'telegram', chatId: 42 } }, 'context.chatId is 42. Pass it as a string: "42".'],
    [{ context: { sender_id: {} } }, 'context.sender_id is an object. '],
    [{ context: { mentioned: 'yes' } }, 'context.mentioned is "yes". '],
    [{ context: {}, agentId: 5 }, 'agentId is 5. '],
    [{ context: {}, policy: 'chat' }, 'policy is "chat". '],
    [{ context: {}, policy: { dimensions: 'chat' } }, 'policy.dimensions is "chat". '],
    [{ context: {}, policy: { dimensions: [5] } }, 'policy.dimensions[0] is 5. '],
    [{ context: { senderId: 'x' }, policy: { identityLinks: { Ann: 'x' } } }, 'identityLinks.Ann is "x". '],
  ])('refuses %j', (input, message) => {
    expect(() => allocateSession(input as AllocationInput)).toThrow(
      expect.objectContaining({ name: 'InvalidInput', message: expect.stringContaining(message) as string }),
    )
  })

  it('changes nothing it was given', () => {
    const input = {
      agentId: 'Main',
      context: { channel: 'Telegram', chatId: 'C', topicId: 'T' },
      policy: { dimensions: ['chat'], identityLinks: { Ann: ['x'] } },
    }
    const before = structuredClone(input)
    allocateSession(input)
    expect(input).toEqual(before)
  })
})

describe('for any context, of all of Unicode,', () => {
  it('the key is opaque, the aliases are normal and distinct, and the scope is its own normal form', () => {
    fc.assert(
      fc.property(anyText, anyContext, anyDimensions, (agentId, context, dimensions) => {
        const { scope, sessionKey, sessionAliases, mainAliases } = allocateSession({
          agentId,
          context,
          policy: { dimensions },
        })
        expect(isOpaqueKey(sessionKey)).toBe(true)
        expect([...new Set(sessionAliases.map(goNormal))]).toEqual(sessionAliases)
        expect(sessionAliases[0]).toBe(mainAliases[0])
        expect(Object.keys(scope.values ?? {}).sort()).toEqual([...(scope.dimensions ?? [])].sort())
        for (const text of [scope.agent_id, scope.channel, scope.account, ...Object.values(scope.values ?? {})])
          expect(goNormal(text)).toBe(text)
      }),
    )
  })

  it('case and outer white space change nothing', () => {
    const twice = fc
      .tuple(anyText, anyContext)
      .chain(([agentId, context]) =>
        fc.tuple(
          fc.constant({ agentId, context }),
          respelled(agentId),
          fc.record(Object.fromEntries(fields.map((field) => [field, respelled(context[field])]))),
        ),
      )
    fc.assert(
      fc.property(twice, anyDimensions, ([one, agentId, context], dimensions) => {
        expect(allocateSession({ agentId, context, policy: { dimensions } })).toEqual(
          allocateSession({ ...one, policy: { dimensions } }),
        )
      }),
    )
  })

  it('another id in a dimension of the policy is another session, unless the signature is equal', () => {
    const dimensionOf = { chatId: 'chat', topicId: 'topic', spaceId: 'space', senderId: 'sender' } as const
    fc.assert(
      fc.property(anyContext, fc.constantFrom(...ids), anyText, anyDimensions, (context, field, id, others) => {
        fc.pre(goNormal(id) !== goNormal(context[field]))
        const dimensions = [...new Set([...others, dimensionOf[field]])]
        const [one, other] = [context, { ...context, [field]: id }].map(
          (given) => allocateSession({ context: given, policy: { dimensions } }).scope,
        )
        expect(scopeSignature(one!)).not.toBe(scopeSignature(other!))
      }),
    )
  })

  it("what lies outside the policy's dimensions changes nothing of the scope", () => {
    fc.assert(
      fc.property(anyContext, anyText, (context, senderId) => {
        const policy = { dimensions: ['chat', 'topic'] }
        const scopes = [context, { ...context, senderId, spaceId: senderId }].map(
          (given) => allocateSession({ context: given, policy }).scope,
        )
        expect(scopes[0]).toEqual(scopes[1])
      }),
    )
  })
})
