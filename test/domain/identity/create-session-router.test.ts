import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { InboundMessage, RoutingConfig } from '../../../src/contract/message-identity.ts'
import { createRouter } from '../../../src/domain/identity/create-router.ts'
import { createSessionRouter } from '../../../src/domain/identity/create-session-router.ts'
import { mainSessionKey, opaqueKey } from '../../../src/domain/identity/session-key.ts'
import { anyId, respelled } from './support/texts.ts'

const group: InboundMessage = { channel: 'telegram', chatId: '-100', chatType: 'group', senderId: '111' }
const support: RoutingConfig = {
  agents: {
    list: [{ id: 'main' }, { id: 'support' }],
    dispatch: {
      rules: [{ name: 'help', agent: 'support', when: { chat: 'group:-100' }, session_dimensions: ['sender'] }],
    },
  },
}

describe('a message', () => {
  it('goes where its route says', () => {
    expect(createSessionRouter(support)(group)).toEqual({
      agentId: 'support',
      matchedBy: 'dispatch.rule:help',
      scope: {
        version: 1,
        agent_id: 'support',
        channel: 'telegram',
        account: 'default',
        dimensions: ['sender'],
        values: { sender: '111' },
      },
      scopeKey: opaqueKey('v=1|agent=support|channel=telegram|account=default|sender=111'),
      key: opaqueKey('v=1|agent=support|channel=telegram|account=default|sender=111'),
      aliases: ['agent:support:main', 'agent:support:telegram:group:-100'],
    })
  })

  it('goes by the chat, when nothing is configured', () => {
    expect(createSessionRouter()({ agentId: 'main', channel: 'web', chatId: 'c1' })).toMatchObject({
      matchedBy: 'default',
      scope: { dimensions: ['chat'], values: { chat: 'direct:c1' } },
    })
  })

  it('may name its agent, which changes nothing else of the route', () => {
    const route = createSessionRouter(support)
    expect(route({ ...group, agentId: 'Main' })).toMatchObject({
      agentId: 'main',
      matchedBy: 'dispatch.rule:help',
      scope: { agent_id: 'main', dimensions: ['sender'] },
    })
    expect(route({ ...group, agentId: createRouter(support)(group).agentId })).toEqual(route(group))
    expect(route({ ...group, agentId: ' ' })).toEqual(route(group))
  })

  it('may name its session by itself, and keeps that key as it is written', () => {
    const routed = createSessionRouter()(group)
    for (const sessionKey of ['agent:Main:Telegram:x', 'SK_V1_abc', mainSessionKey('main')]) {
      expect(createSessionRouter()({ ...group, sessionKey })).toEqual({ ...routed, key: sessionKey })
    }
  })

  it('has any other key it came with for an alias', () => {
    const { key, scopeKey, aliases } = createSessionRouter()({ ...group, sessionKey: ' chat-42 ' })
    expect([key, aliases]).toEqual([scopeKey, ['agent:main:main', 'agent:main:telegram:group:-100', 'chat-42']])
  })

  it('may be spelled as in PicoClaw', () => {
    const spelled = {
      channel: 'telegram',
      chat_id: '-100',
      chat_type: 'group',
      sender_id: '111',
      session_key: 'agent:x:y',
    }
    expect(createSessionRouter()(spelled)).toEqual(createSessionRouter()({ ...group, sessionKey: 'agent:x:y' }))
  })

  it('has one session whatever the case and the white space of its ids', () => {
    fc.assert(
      fc.property(
        fc
          .record({ channel: anyId, chatId: anyId, senderId: anyId })
          .chain((one) =>
            fc.tuple(
              fc.constant(one),
              fc.record({
                channel: respelled(one.channel),
                chatId: respelled(one.chatId),
                senderId: respelled(one.senderId),
              }),
            ),
          ),
        ([one, other]) => {
          const route = createSessionRouter({ session: { dimensions: ['chat', 'sender'] } })
          expect(route(other)).toEqual(route(one))
        },
      ),
    )
  })

  it.each<[unknown, string]>([
    [{ agentId: 'main' }, 'context is empty. Pass where the message comes from'],
    [{ chatId: ' ', channel: undefined, mentioned: true, chatType: 'direct', spaceType: 'guild' }, 'context is empty.'],
    [{ sessionKey: 'not explicit' }, 'context is empty.'],
    [{ channel: 'web', chatId: 7 }, 'context.chatId is 7.'],
    [{ channel: 'web', sessionKey: 7 }, 'context.sessionKey is 7.'],
    [{ channel: 'web', session_key: {} }, 'context.sessionKey is an object.'],
    [{ channel: 'web', agentId: 7 }, 'context.agentId is 7.'],
  ])('%j is refused', (message, text) => {
    expect(() => createSessionRouter()(message as InboundMessage)).toThrow(
      expect.objectContaining({ name: 'InvalidInput', message: expect.stringContaining(text) as string }),
    )
  })

  it('needs no place when its key names its session', () => {
    expect(createSessionRouter()({ sessionKey: 'agent:main:cron' }).key).toBe('agent:main:cron')
  })
})

describe('a linked sender', () => {
  const session = { identity_links: { Alice: ['telegram:111', 'slack:U9'] }, across_channels: true }
  const [telegram, slack]: InboundMessage[] = [
    { channel: 'telegram', chatId: '111', chatType: 'direct', senderId: '111' },
    { channel: 'slack', account: 'Team', chatId: 'D7', chatType: 'direct', senderId: 'u9' },
  ]

  it('has one session on all channels, if the configuration says so', () => {
    const route = createSessionRouter({ session })
    const [one, other] = [route(telegram as InboundMessage), route(slack as InboundMessage)]
    expect([one.key, other.key]).toEqual(['agent:main:identity:alice', 'agent:main:identity:alice'])
    expect(one.scopeKey).not.toBe(other.scopeKey)
  })

  it('leaves the name of the session that is theirs without the link', () => {
    const { scopeKey, aliases } = createSessionRouter({ session })(telegram as InboundMessage)
    expect(aliases).toEqual(
      createSessionRouter()(telegram as InboundMessage).aliases.concat(
        aliases.filter((alias) => alias.endsWith(':alice')),
      ),
    )
    expect(aliases).not.toContain(scopeKey)
  })

  it('has one for each agent', () => {
    const route = createSessionRouter({ session })
    expect(route({ ...telegram, agentId: 'Help Desk' }).key).toBe('agent:help-desk:identity:alice')
  })

  it.each<[string, NonNullable<RoutingConfig['session']>, Partial<InboundMessage>]>([
    ['when the configuration says nothing', { identity_links: session.identity_links }, {}],
    ['in a group, where others read along', session, { chatType: 'group' }],
    ['in a chat of unknown type', session, { chatType: '' }],
    ['whom no link names', session, { senderId: 'alice' }],
    ['without an id', session, { senderId: '' }],
  ])('keeps a session for each channel %s', (_, config, change) => {
    const { key, scopeKey } = createSessionRouter({ session: config })({ ...telegram, ...change })
    expect(key).toBe(scopeKey)
  })

  it('goes where the message says, if that names its session by itself', () => {
    expect(createSessionRouter({ session })({ ...telegram, sessionKey: 'agent:main:other' }).key).toBe(
      'agent:main:other',
    )
  })

  it('shares no name with a stranger who calls himself so', () => {
    const route = createSessionRouter({ session })
    const stranger = route({ channel: 'irc', chatId: 'alice', chatType: 'direct', senderId: 'alice' })
    expect([stranger.key, ...stranger.aliases]).not.toContain(route(telegram as InboundMessage).key)
  })

  it('is refused a configuration that says it in other words', () => {
    expect(() => createSessionRouter({ session: { across_channels: 'yes' as never } })).toThrow(
      'session.across_channels is "yes".',
    )
  })
})
