import { afterEach, describe, expect, expectTypeOf, it } from 'vitest'
import type { SessionClient } from '../../src/client/client-contract.ts'
import type { RoutedSession, Session, SessionInit } from '../../src/client/session-contract.ts'
import type { InboundMessage, PicoclawMessage, RoutingConfig } from '../../src/contract/message-identity.ts'
import { createSessionRouter } from '../../src/domain/identity/create-session-router.ts'
import { mainSessionKey, scopeKey } from '../../src/domain/identity/session-key.ts'
import { openDirectStore } from '../../src/in-page/open-direct-store.ts'
import { createProfile } from './support/open-port-client.ts'

const profile = createProfile()
const clients: SessionClient[] = []
let names = 0

/** A store of its own for each test, unless it is named. */
async function open(routing?: RoutingConfig, name = `identity-${names++}`): Promise<SessionClient> {
  const client = await profile.open({ name, ...(routing === undefined ? {} : { routing }) })
  clients.push(client)
  return client
}
afterEach(async () => {
  for (const client of clients.splice(0)) await client.close()
})

const texts = async (session: Session): Promise<unknown[]> => (await session.messages()).map(({ content }) => content)
const user = (content: string) => ({ role: 'user', content })
const web = { agentId: 'main', channel: 'web', chatId: 'c1' }

describe('a message', () => {
  it('opens its session', async () => {
    const client = await open()
    const session = await client.session(web)
    await session.append(user('hi'))
    const scope = {
      version: 1,
      agent_id: 'main',
      channel: 'web',
      account: 'default',
      dimensions: ['chat'],
      values: { chat: 'direct:c1' },
    } as const
    expect([session.key, session.agentName]).toEqual([scopeKey(scope), 'main'])
    expect(await session.meta()).toMatchObject({
      agentId: 'main',
      scope,
      aliases: ['agent:main:main', 'agent:main:web:unknown:c1'],
      messageCount: 1,
    })
    expect(await texts(await client.session({ channel: ' WEB', chatId: 'C1\t' }))).toEqual(['hi'])
    expect(await texts(await client.session({ ...web, chatId: 'c2' }))).toEqual([])
  })

  it('shows how its session was found', async () => {
    const routing: RoutingConfig = {
      agents: { dispatch: { rules: [{ name: 'Help', agent: 'support', when: { channel: 'web' } }] } },
    }
    const { identity, key } = await (await open(routing)).session({ channel: 'web', chatId: 'c1' })
    expect(identity).toMatchObject({ ...createSessionRouter(routing)({ channel: 'web', chatId: 'c1' }), conflicts: [] })
    expect(identity).toMatchObject({ agentId: 'support', matchedBy: 'dispatch.rule:help', key })
  })

  it('has what it is known by stored before the first append, and listed under its agent', async () => {
    const client = await open()
    const { key } = await client.session({ ...web, agentId: 'Help Desk' })
    expect(await client.store.getSessionScope(key)).toMatchObject({ agent_id: 'help-desk' })
    expect((await client.listSessions({ agentId: 'help-desk' })).sessions).toMatchObject([{ key, messageCount: 0 }])
  })

  it('brings the history of the legacy session it had before along, once', async () => {
    const client = await open()
    const old = 'agent:main:telegram:direct:111'
    await client.store.addMessage(old, 'user', 'long ago')
    const message = { channel: 'telegram', chatId: '111', chatType: 'direct', senderId: '111' }
    const session = await client.session(message)
    expect([session.key.slice(0, 6), session.identity.promoted, await texts(session)]).toEqual([
      'sk_v1_',
      old,
      ['long ago'],
    ])
    await session.append(user('now'))
    expect([await client.store.resolveSessionKey(old), (await client.store.getHistory(old)).length]).toEqual([
      session.key,
      2,
    ])
    expect((await client.session(message)).identity.promoted).toBe(undefined)
  })

  it('writes nothing more when it comes again', async () => {
    const client = await open()
    const { key } = await client.session(web)
    const { entries } = await client.store.changes(key, {})
    await client.session(web)
    expect((await client.store.changes(key, {})).entries).toEqual(entries)
  })

  it('leaves title, summary, agent and further aliases as they are', async () => {
    const client = await open()
    const { key } = await client.session(web)
    await client.store.updateMeta(key, { title: 'Mine', summary: 'sum', agentId: 'other', aliases: ['mine'] })
    const session = await client.session(web)
    expect(await session.meta()).toMatchObject({
      title: 'Mine',
      summary: 'sum',
      agentId: 'other',
      aliases: ['mine', 'agent:main:main', 'agent:main:web:unknown:c1'],
    })
    expect(session.agentName).toBe('other')
  })

  it("is told which of its names are another session's", async () => {
    const client = await open({ session: { dimensions: ['chat', 'sender'] } })
    const direct = (chatId: string) => ({ channel: 'web', chatId, chatType: 'direct', senderId: 'u' })
    const first = await client.session(direct('c1'))
    const second = await client.session(direct('c2'))
    expect(first.identity.conflicts).toEqual([])
    expect(second.identity.conflicts).toContain('agent:main:web:direct:u')
    expect(await client.store.resolveSessionKey('agent:main:web:direct:u')).toBe(first.key)
  })

  it('goes to the session its own key names, alias or not', async () => {
    const client = await open()
    await client.store.updateMeta('k', { aliases: ['agent:main:old'] })
    expect((await client.session({ ...web, sessionKey: 'agent:main:old' })).key).toBe('k')
    expect((await client.session({ ...web, sessionKey: 'agent:main:new' })).key).toBe('agent:main:new')
  })

  it('leaves the scope of a session that it reaches by another key', async () => {
    const client = await open()
    for (const chatId of ['c1', 'c2']) await client.session({ channel: 'web', chatId, sessionKey: 'agent:main:both' })
    expect(await client.store.getSessionScope('agent:main:both')).toMatchObject({ values: { chat: 'direct:c1' } })
  })

  it('takes the newest scope of its own session', async () => {
    const client = await open()
    const { key } = await client.session(web)
    await client.store.updateMeta(key, { scope: { version: 1, agent_id: 'wrong', channel: 'web', account: 'default' } })
    await client.session(web)
    expect(await client.store.getSessionScope(key)).toMatchObject({ agent_id: 'main' })
  })

  it('opens one session from two tabs at once', async () => {
    const name = `identity-${names++}`
    const [one, other] = [await open(undefined, name), await open(undefined, name)]
    const sessions = await Promise.all([one.session(web), other.session(web), one.session(web)])
    await Promise.all(sessions.map((session, i) => session.append(user(`${i}`))))
    expect(new Set(sessions.map(({ key }) => key)).size).toBe(1)
    expect((await texts(sessions[0] as Session)).sort()).toEqual(['0', '1', '2'])
    expect((await one.listSessions()).total).toBe(1)
  })
})

describe('a deleted session', () => {
  it('stays deleted when a message opens it', async () => {
    const client = await open()
    await (await client.session(web)).append(user('old'))
    const { key } = await client.session(web)
    await client.delete(key)
    const session = await client.session(web)
    expect(await texts(session)).toEqual([])
    expect(await client.store.getMeta(key)).toMatchObject({ deletedAt: expect.any(Number) as number })
    expect((await client.listSessions()).total).toBe(0)
  })

  it.each<[string, (session: Session) => Promise<unknown>]>([
    ['append', (session) => session.append(user('new'))],
    ['streamed reply', (session) => session.stream().end({ role: 'assistant', content: 'new' })],
  ])('starts afresh with the first %s, and is known by the same names', async (_, write) => {
    const client = await open()
    const first = await client.session(web)
    await first.append(user('old'))
    await first.delete()
    const session = await client.session(web)
    await write(session)
    expect(await texts(session)).toEqual(['new'])
    expect(await session.meta()).toMatchObject({
      agentId: 'main',
      scope: first.identity.scope,
      aliases: first.identity.aliases,
    })
    await expect(first.append(user('late'))).resolves.toBeDefined()
  })

  it('stays deleted when what was appended is refused', async () => {
    const client = await open()
    await (await client.session(web)).delete()
    const session = await client.session(web)
    await expect(session.append({ role: 'user', content: { bad: NaN } } as never)).rejects.toMatchObject({
      name: 'InvalidInput',
    })
    expect(await session.meta()).toMatchObject({ deletedAt: expect.any(Number) as number })
  })

  it('is not brought back by a handle that a message opened before', async () => {
    const client = await open()
    const session = await client.session(web)
    await client.delete(session.key)
    await expect(session.append(user('late'))).rejects.toMatchObject({ name: 'SessionNotFound' })
  })
})

describe('the main session', () => {
  it('is the same one, by its key, for each agent', async () => {
    const client = await open()
    const [main, also, other] = [
      await client.mainSession(),
      await client.mainSession(' MAIN '),
      await client.mainSession('Help Desk'),
    ]
    expect([main.key, also.key, other.key]).toEqual([
      mainSessionKey('main'),
      mainSessionKey('main'),
      mainSessionKey('help-desk'),
    ])
    expect([main.agentName, other.agentName, main.identity]).toEqual(['main', 'help-desk', undefined])
    await main.append(user('hi'))
    expect(await main.meta()).toMatchObject({ agentId: 'main', messageCount: 1 })
  })

  it('stays deleted until it is written to', async () => {
    const client = await open()
    await (await client.mainSession()).delete()
    const main = await client.mainSession()
    expect((await client.listSessions()).total).toBe(0)
    await main.append(user('new'))
    expect(await main.meta()).toMatchObject({ agentId: 'main', messageCount: 1 })
  })

  it('is refused an agent that is no text', async () => {
    await expect((await open()).mainSession(7 as never)).rejects.toMatchObject({
      name: 'InvalidInput',
      message: expect.stringContaining('agentId is 7.') as string,
    })
  })
})

describe('what opens a session', () => {
  it('is a key when it is a text, whatever the text', async () => {
    const client = await open()
    for (const key of ['{"channel":"web"}', 'channel', 'agent:main:web:direct:c1']) {
      const session = await client.session(key)
      expect([session.key, session.identity]).toEqual([key, undefined])
    }
  })

  it('is no message while it only names agent, user, title or a key', async () => {
    const client = await open()
    for (const init of [
      undefined,
      {},
      { agentId: 'main' },
      { key: 'k', agentId: 'main' },
      { userId: 'u', title: 't', custom: {} },
    ]) {
      const session = await client.session(init)
      expect([session.identity, session.key.slice(0, 4)]).toEqual([undefined, init?.key ?? 'ses-'])
    }
  })

  it.each([
    'channel',
    'account',
    'chatId',
    'chat_id',
    'topicId',
    'topic_id',
    'spaceId',
    'space_id',
    'senderId',
    'sender_id',
  ])('is a message when it has %s', async (field) => {
    const { identity } = await (await open()).session({ [field]: 'x' } as InboundMessage)
    expect(identity.matchedBy).toBe('default')
  })

  it.each<[unknown, string]>([
    [{ chatId: undefined }, 'context is empty.'],
    [{ agentId: 'main', channel: '', chatId: ' ' }, 'context is empty.'],
    [{ channel: 'web', chatId: 42 }, 'context.chatId is 42. Pass it as a string: "42".'],
    [{ key: 'k', channel: 'web' }, 'either by its key or by where a message comes from'],
    [42, "can't be opened by a number."],
    [null, "can't be opened by a object."],
    [{ chatID: 'c1' }, 'patch has a field "chatID" that is not allowed'],
  ])('is refused when it is %j', async (target, message) => {
    const client = await open()
    await expect(client.session(target as string)).rejects.toMatchObject({
      name: 'InvalidInput',
      message: expect.stringContaining(message) as string,
    })
    expect((await client.listSessions()).total).toBe(0)
  })

  it('is told apart by its type', () => {
    const { session } = {} as SessionClient
    const check = {
      key: () => session('k'),
      nothing: () => session(),
      maybe: (key: string | undefined) => session(key),
      init: (init: SessionInit) => session(init),
      message: (message: InboundMessage) => session(message),
      picoclaw: (message: PicoclawMessage) => session(message),
      literal: () => session({ agentId: 'main', channel: 'web', chatId: 'c1' }),
      // @ts-expect-error: a key and a message at once
      both: () => session({ key: 'k', channel: 'web' }),
      // @ts-expect-error: misspelt
      misspelt: () => session({ chatID: 'c1' }),
    }
    for (const known of ['key', 'nothing', 'maybe', 'init'] as const)
      expectTypeOf<Awaited<ReturnType<(typeof check)[typeof known]>>>().toEqualTypeOf<Session>()
    for (const routed of ['message', 'picoclaw', 'literal'] as const)
      expectTypeOf<Awaited<ReturnType<(typeof check)[typeof routed]>>>().toEqualTypeOf<RoutedSession>()
  })
})

describe('routing', () => {
  it('decides by its rules', async () => {
    const routing: RoutingConfig = {
      agents: {
        list: [{ id: 'main' }, { id: 'support' }],
        dispatch: { rules: [{ agent: 'support', when: { chat: 'group:-1' }, session_dimensions: ['sender'] }] },
      },
    }
    const client = await open(routing)
    const group = (senderId: string) =>
      client.session({ channel: 'telegram', chatId: '-1', chatType: 'group', senderId })
    const [ann, bob, annAgain] = [await group('ann'), await group('bob'), await group('ANN ')]
    expect([ann.key === bob.key, ann.key === annAgain.key, ann.agentName]).toEqual([false, true, 'support'])
  })

  it('can be another one for a message', async () => {
    const client = await open({ session: { dimensions: ['sender'] } })
    const message = { channel: 'web', chatId: 'c', senderId: 'u' }
    const [own, other] = [
      await client.session(message),
      await client.session(message, { routing: { session: { dimensions: ['chat'] } } }),
    ]
    expect([own.identity.scope.dimensions, other.identity.scope.dimensions]).toEqual([['sender'], ['chat']])
    await expect(client.session(message, { routing: { session: { dimensions: ['chats'] } } })).rejects.toMatchObject({
      name: 'InvalidInput',
    })
  })

  it('with a mistake is refused before anything is opened', async () => {
    const name = `identity-${names++}`
    const made = profile.workers.length
    await expect(profile.open({ name, routing: { session: { dimensions: ['chats'] } } })).rejects.toMatchObject({
      name: 'InvalidInput',
      message: expect.stringContaining('session.dimensions[0] is "chats".') as string,
    })
    expect(profile.workers.length).toBe(made)
  })

  it('works in this realm as well', async () => {
    const client = await openDirectStore({
      name: 'direct',
      modes: ['memory'],
      routing: { session: { dimensions: ['sender'] } },
    })
    clients.push(client)
    expect((await client.session({ channel: 'web', senderId: 'u' })).identity.scope).toMatchObject({
      dimensions: ['sender'],
    })
  })
})

describe('linked senders', () => {
  const identity_links = { alice: ['telegram:111', 'slack:U9'] }
  const telegram = { channel: 'telegram', chatId: '111', chatType: 'direct', senderId: '111' }
  const slack = { channel: 'slack', chatId: 'D7', chatType: 'direct', senderId: 'u9' }

  it('have a session for each channel', async () => {
    const client = await open({ session: { identity_links } })
    expect((await client.session(telegram)).key).not.toBe((await client.session(slack)).key)
  })

  it('share one on all channels where routing says so', async () => {
    const client = await open({ session: { identity_links, across_channels: true } })
    await (await client.session(telegram)).append(user('from telegram'))
    await (await client.session(slack)).append(user('from slack'))
    expect(await texts(await client.session(telegram))).toEqual(['from telegram', 'from slack'])
    expect((await client.listSessions()).total).toBe(1)
  })

  it('never share one with somebody whose id is their name', async () => {
    const client = await open({ session: { identity_links, across_channels: true } })
    const stranger = await client.session({ channel: 'irc', chatId: 'alice', chatType: 'direct', senderId: 'alice' })
    await stranger.append(user('I am alice'))
    expect((await client.session(telegram)).key).not.toBe(stranger.key)
    expect(await texts(await client.session(telegram))).toEqual([])
  })

  it('find their own sessions again when the link was a mistake, and the shared one stays as it is', async () => {
    const name = `identity-${names++}`
    const joined = await open({ session: { identity_links, across_channels: true } }, name)
    for (const message of [telegram, slack]) await (await joined.session(message)).append(user('joined'))
    const later = await open({ session: { identity_links: { alice: ['telegram:111'] }, across_channels: true } }, name)
    expect([await texts(await later.session(slack)), await texts(await later.session(telegram))]).toEqual([
      [],
      ['joined', 'joined'],
    ])
  })
})

it('goes as the README says', async () => {
  const client = await open({
    agents: {
      list: [{ id: 'main' }, { id: 'support' }],
      dispatch: { rules: [{ name: 'help', agent: 'support', when: { chat: 'group:-100' } }] },
    },
    session: { dimensions: ['chat', 'sender'], identity_links: { alice: ['telegram:111', 'slack:U9'] } },
  })
  const session = await client.session({ channel: 'telegram', chatId: '-100', chatType: 'group', senderId: '111' })
  await session.append({ role: 'user', content: 'hi' })
  expect(session.key).toMatch(/^sk_v1_[0-9a-f]{64}$/)
  expect(session.identity).toMatchObject({
    matchedBy: 'dispatch.rule:help',
    scope: { values: { chat: 'group:-100', sender: 'alice' } },
    conflicts: [],
  })
  expect((await client.mainSession('support')).agentName).toBe('support')
})
