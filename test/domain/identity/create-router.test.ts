import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type {
  DispatchRule,
  DispatchSelector,
  InboundContext,
  RoutingConfig,
} from '../../../src/contract/message-identity.ts'
import { allocateSession } from '../../../src/domain/identity/allocate-session.ts'
import { createRouter } from '../../../src/domain/identity/create-router.ts'
import { goNormal } from '../../../src/domain/identity/go-text.ts'
import { anyId, anyText, respelled } from './support/texts.ts'

const agents = [{ id: 'main', default: true }, { id: 'Support' }, { id: 'sales' }]
const message: InboundContext = {
  channel: 'Telegram',
  account: 'Bot A',
  chatId: '-100',
  chatType: 'group',
  topicId: 'T1',
  spaceId: 'S1',
  senderId: 'U1',
  mentioned: true,
}

const withRules = (...rules: DispatchRule[]): RoutingConfig => ({ agents: { list: agents, dispatch: { rules } } })
const matchedBy = (when: DispatchSelector, context: InboundContext = message): string =>
  createRouter(withRules({ name: 'R', agent: 'sales', when }))(context).matchedBy
const dimensions = (session: RoutingConfig['session'], rule?: DispatchRule): readonly string[] => {
  const { sessionPolicy } = createRouter({
    session: session ?? null,
    ...(rule === undefined ? {} : { agents: { dispatch: { rules: [rule] } } }),
  })(message)
  return sessionPolicy.dimensions
}

describe('a route', () => {
  it('goes to the main agent by chat, when nothing is configured', () => {
    expect(createRouter()(message)).toEqual({
      agentId: 'main',
      channel: 'telegram',
      accountId: 'bot-a',
      sessionPolicy: { dimensions: ['chat'], identityLinks: [] },
      matchedBy: 'default',
    })
    expect(createRouter()({})).toMatchObject({ channel: '', accountId: 'default' })
  })

  it('is decided by the first rule that applies', () => {
    const route = createRouter(
      withRules(
        { name: 'other chat', agent: 'support', when: { chat: 'group:-200' } },
        { name: ' Support Group ', agent: 'support', when: { channel: 'telegram', chat: 'group:-100' } },
        { name: 'vip', agent: 'sales', when: { channel: 'telegram', chat: 'group:-100', sender: 'u1' } },
      ),
    )
    expect(route(message)).toMatchObject({ agentId: 'support', matchedBy: 'dispatch.rule:support group' })
    expect(route({ ...message, chatId: '-300' })).toMatchObject({ agentId: 'main', matchedBy: 'default' })
  })

  it('says that a rule without a name decided', () => {
    expect(createRouter(withRules({ name: ' ', when: { channel: 'telegram' } }))(message).matchedBy).toBe(
      'dispatch.rule',
    )
  })

  it('can be given to allocateSession', () => {
    const config: RoutingConfig = {
      ...withRules({ agent: 'support', when: { sender: 'alice' }, session_dimensions: ['sender'] }),
      session: { identity_links: { Alice: ['u1'] } },
    }
    const route = createRouter(config)(message)
    const { scope } = allocateSession({ agentId: route.agentId, context: message, policy: route.sessionPolicy })
    expect(scope).toEqual({
      version: 1,
      agent_id: 'support',
      channel: 'telegram',
      account: 'bot-a',
      dimensions: ['sender'],
      values: { sender: 'alice' },
    })
  })

  it('is decided by the configuration as it was when the router was made', () => {
    const links: Record<string, string[]> = { Alice: ['u1'] }
    const names = ['sender']
    const route = createRouter({ session: { dimensions: names, identity_links: links } })
    const before = route(message)
    links['Alice']?.pop()
    names.push('chat')
    expect(route(message)).toEqual(before)
  })
})

describe('a selector', () => {
  it.each<[keyof DispatchSelector, string | boolean, string | boolean]>([
    ['channel', ' TELEGRAM', 'slack'],
    ['account', 'bot a', 'default'],
    ['space', 'Space:S1', 'space:s2'],
    ['chat', 'group:-100', 'direct:-100'],
    ['topic', 'TOPIC:t1', 't1'],
    ['sender', 'u1\u0085', 'u2'],
    ['mentioned', true, false],
  ])('matches on %s', (field, right, wrong) => {
    expect(matchedBy({ [field]: right })).toBe('dispatch.rule:r')
    expect(matchedBy({ [field]: wrong })).toBe('default')
  })

  it('applies only when all of its fields match', () => {
    const all: DispatchSelector = {
      channel: 'telegram',
      account: 'bot-a',
      space: 'space:s1',
      chat: 'group:-100',
      topic: 'topic:t1',
      sender: 'u1',
      mentioned: true,
    }
    expect(matchedBy(all)).toBe('dispatch.rule:r')
    for (const field of Object.keys(all) as (keyof DispatchSelector)[])
      expect(matchedBy({ ...all, [field]: field === 'mentioned' ? false : 'other' })).toBe('default')
  })

  it('without an account takes messages of every account', () => {
    for (const account of ['', 'default', 'bot-b'])
      expect(matchedBy({ channel: 'telegram' }, { ...message, account })).toBe('dispatch.rule:r')
    for (const absent of ['', ' \u0085'])
      expect(matchedBy({ channel: 'telegram', account: absent })).toBe('dispatch.rule:r')
    expect(matchedBy({ account: 'default' }, { ...message, account: '' })).toBe('dispatch.rule:r')
  })

  it('knows a chat without its topic, on every channel', () => {
    expect(matchedBy({ chat: 'group:-100/t1' })).toBe('default')
  })

  it('finds a chat and a space of no type as direct and space', () => {
    expect(matchedBy({ chat: 'direct:c', space: 'space:s' }, { chatId: 'C', spaceId: 'S' })).toBe('dispatch.rule:r')
  })

  it('finds a message that does not mention anybody', () => {
    expect([matchedBy({ mentioned: false }, { channel: 'web' }), matchedBy({ mentioned: false })]).toEqual([
      'dispatch.rule:r',
      'default',
    ])
  })

  it('never applies without a constraint', () => {
    for (const when of [undefined, {}, { channel: ' ', account: '', mentioned: null }]) {
      expect(
        createRouter(withRules({ name: 'all', agent: 'sales', ...(when === undefined ? {} : { when }) }))(message)
          .matchedBy,
      ).toBe('default')
    }
  })

  it('finds a sender by the canonical name', () => {
    const config: RoutingConfig = {
      ...withRules({ agent: 'sales', when: { sender: 'Alice' } }),
      session: { identity_links: { Alice: ['telegram:u1'] } },
    }
    expect(createRouter(config)(message).agentId).toBe('sales')
    expect(createRouter(config)({ ...message, channel: 'web' }).agentId).toBe('main')
  })
})

describe('the agent', () => {
  const chosen = (list: NonNullable<RoutingConfig['agents']>['list'], agent?: string): string =>
    createRouter({
      agents: {
        list: list ?? null,
        dispatch: { rules: [{ when: { channel: 'telegram' }, ...(agent === undefined ? {} : { agent }) }] },
      },
    })(message).agentId

  it.each<[string, Parameters<typeof chosen>, string]>([
    ["is the rule's", [agents, ' SUPPORT '], 'support'],
    ['is the default for one that is not in the list', [agents, 'ghost'], 'main'],
    ['is the default for a rule that names none', [[{ id: 'a' }, { id: 'b', default: true }], ' '], 'b'],
    ['is the first default of two', [[{ id: 'a' }, { id: 'b', default: true }, { id: 'c', default: true }]], 'b'],
    ['is the first in the list when none is the default', [[{ id: 'My A' }, { id: 'b' }]], 'my-a'],
    ['is any that a rule names when there is no list', [[], 'Any One'], 'any-one'],
    ['is main when nobody is named', [[]], 'main'],
  ])('%s', (_, input, agentId) => expect(chosen(...input)).toBe(agentId))
})

describe('the dimensions', () => {
  it.each<[string, Parameters<typeof dimensions>, string[]]>([
    ['are chat by default', [undefined], ['chat']],
    [
      "are the session's, in order, normal and each once",
      [{ dimensions: [' Sender', 'CHAT', 'sender'] }],
      ['sender', 'chat'],
    ],
    ['may be none', [{ dimensions: [] }], []],
    ['come from dm_scope per-channel-peer', [{ dm_scope: 'per-channel-peer' }], ['chat', 'sender']],
    ['come from dm_scope per-channel', [{ dm_scope: ' Per-Channel ' }], ['chat']],
    ['come from dm_scope per-peer', [{ dm_scope: 'per-peer' }], ['sender']],
    ['come from dm_scope global', [{ dm_scope: 'global' }], []],
    ['are explicit before dm_scope', [{ dm_scope: 'global', dimensions: ['topic'] }], ['topic']],
    ['come from dm_scope when the explicit list is empty', [{ dm_scope: 'per-peer', dimensions: [] }], ['sender']],
    ['are chat when both are blank', [{ dm_scope: ' ', dimensions: null }], ['chat']],
    [
      "are the rule's",
      [{ dimensions: ['chat'] }, { when: { channel: 'telegram' }, session_dimensions: ['Space', 'sender'] }],
      ['space', 'sender'],
    ],
    [
      "are the session's when the rule has an empty list",
      [{ dimensions: ['topic'] }, { when: { channel: 'telegram' }, session_dimensions: [] }],
      ['topic'],
    ],
    [
      "are the session's when the rule does not apply",
      [{ dimensions: ['topic'] }, { when: { channel: 'web' }, session_dimensions: ['sender'] }],
      ['topic'],
    ],
  ])('%s', (_, input, names) => expect(dimensions(...input)).toEqual(names))
})

describe('a configuration is refused', () => {
  const rule = (one: object): object => ({ agents: { dispatch: { rules: [{}, one] } } })
  it.each<[unknown, string]>([
    [5, 'config is 5. '],
    [{ agents: [] }, 'agents is a list. Pass an object'],
    [{ agents: { list: {} } }, 'agents.list is an object. Pass a list'],
    [{ agents: { list: [{ id: 'a' }, { id: ' ' }] } }, 'agents.list[1].id is " ". Pass the id of the agent.'],
    [{ agents: { list: [{}] } }, 'agents.list[0].id is missing. Pass the id of the agent.'],
    [{ agents: { list: [{ id: 5 }] } }, 'agents.list[0].id is 5. Pass it as a string: "5".'],
    [{ agents: { list: [{ id: 'a', default: 'yes' }] } }, 'agents.list[0].default is "yes". Pass true or false'],
    [{ agents: { dispatch: 1 } }, 'agents.dispatch is 1. '],
    [{ agents: { dispatch: { rules: { a: 1 } } } }, 'agents.dispatch.rules is an object. '],
    [rule({ name: 5 }), 'agents.dispatch.rules[1].name is 5. '],
    [rule({ agent: [] }), 'agents.dispatch.rules[1].agent is a list. '],
    [rule({ when: 'always' }), 'agents.dispatch.rules[1].when is "always". '],
    [
      rule({ when: { chanel: 'web' } }),
      'agents.dispatch.rules[1].when.chanel is "web". A selector has no such field. Use channel, account, space, chat, topic, sender or mentioned.',
    ],
    [rule({ when: { toString: 'web' } }), 'agents.dispatch.rules[1].when.toString is "web". '],
    [rule({ when: { chat: 5 } }), 'agents.dispatch.rules[1].when.chat is 5. '],
    [rule({ when: { mentioned: 'yes' } }), 'agents.dispatch.rules[1].when.mentioned is "yes". '],
    [
      rule({ session_dimensions: ['chat', 'user'] }),
      'agents.dispatch.rules[1].session_dimensions[1] is "user". Use space, chat, topic, sender.',
    ],
    [{ session: { dimensions: ['chat', ''] } }, 'session.dimensions[1] is empty. Use space, chat, topic, sender.'],
    [{ session: { dimensions: 'chat' } }, 'session.dimensions is "chat". Pass a list'],
    [
      { session: { dm_scope: 'main' } },
      'session.dm_scope is "main". Use per-channel-peer, per-channel, per-peer, global, or session.dimensions.',
    ],
    [{ session: { dm_scope: 'constructor' } }, 'session.dm_scope is "constructor". '],
    [{ session: { identity_links: { Ann: 'x' } } }, 'session.identity_links.Ann is "x". Pass a list'],
  ])('%j', (config, message) => {
    expect(() => createRouter(config as RoutingConfig)).toThrow(
      expect.objectContaining({ name: 'InvalidInput', message: expect.stringContaining(message) as string }),
    )
  })

  it("not for what else PicoClaw's file has", () => {
    const config = {
      agents: { defaults: { model: 'm' }, list: [{ id: 'main', workspace: '~' }] },
      channels: {},
      session: { backlog: 5 },
    }
    expect(createRouter(config as RoutingConfig)(message).agentId).toBe('main')
  })
})

describe('for any texts, of all of Unicode,', () => {
  const anyMessage = fc.record({
    channel: anyText,
    account: anyText,
    chatId: anyId,
    chatType: anyText,
    topicId: anyId,
    senderId: anyId,
  })

  it('a rule finds the message it was made from, in any spelling', () => {
    const spelled = anyMessage.chain((given) => {
      const when = {
        channel: given.channel,
        account: given.account,
        chat: `${goNormal(given.chatType) || 'direct'}:${goNormal(given.chatId)}`,
        topic: `topic:${goNormal(given.topicId)}`,
        sender: given.senderId,
      }
      return fc.tuple(
        fc.constant(given),
        fc.record(Object.fromEntries(Object.entries(when).map(([field, value]) => [field, respelled(value)]))),
      )
    })
    fc.assert(
      fc.property(spelled, ([given, when]) => {
        expect(matchedBy(when, given)).toBe('dispatch.rule:r')
        expect(matchedBy({ ...when, chat: `${when['chat']}x` }, given)).toBe('default')
      }),
    )
  })

  it('the first rule that applies alone is the one that applies among others', () => {
    const selector = fc.record(
      { channel: fc.constantFrom('web', 'slack'), sender: fc.constantFrom('a', 'b'), mentioned: fc.boolean() },
      { requiredKeys: [] },
    )
    const context = fc.record({
      channel: fc.constantFrom('web', 'slack', 'x'),
      senderId: fc.constantFrom('a', 'b', 'c'),
      mentioned: fc.boolean(),
    })
    fc.assert(
      fc.property(fc.array(selector, { maxLength: 6 }), context, (selectors, given) => {
        const rules = selectors.map((when, i) => ({ name: `${i}`, when }))
        const first = rules.find((rule) => createRouter(withRules(rule))(given).matchedBy !== 'default')
        expect(createRouter(withRules(...rules))(given).matchedBy).toBe(
          first === undefined ? 'default' : `dispatch.rule:${first.name}`,
        )
      }),
    )
  })
})
