import { describe, expect, it } from 'vitest'
import { normaliseContext } from '../../../src/domain/identity/normalise-context.ts'
import { buildSessionAliases, legacyAliases } from '../../../src/domain/identity/session-aliases.ts'

const aliases = (context: object): string[] => legacyAliases('Main', normaliseContext(context)).slice(1)

describe('legacyAliases', () => {
  it('begins with the main alias, whatever the message', () => {
    expect(legacyAliases(' My Agent ', normaliseContext({}))).toEqual(['agent:my-agent:main'])
  })

  it('has three for each peer of a direct chat: sender, canonical sender, chat', () => {
    const context = normaliseContext({
      channel: 'Web',
      account: 'A b',
      chatId: 'C1',
      chatType: ' Direct',
      senderId: 'U1',
    })
    expect(legacyAliases('main', context, { Ann: ['u1'] }).slice(1)).toEqual(
      ['u1', 'ann', 'c1'].flatMap((peer) => [
        `agent:main:direct:${peer}`,
        `agent:main:web:direct:${peer}`,
        `agent:main:web:a-b:direct:${peer}`,
      ]),
    )
  })

  it('has each once', () => {
    expect(aliases({ channel: 'web', chatId: 'X', chatType: 'direct', senderId: 'x' })).toEqual([
      'agent:main:direct:x',
      'agent:main:web:direct:x',
      'agent:main:web:default:direct:x',
    ])
  })

  it('has none for a direct chat without anybody', () => {
    expect(aliases({ channel: 'web', chatType: 'direct', topicId: 't' })).toEqual([])
  })

  it('has one for any other chat, with its topic on every channel', () => {
    expect(aliases({ channel: 'Discord', chatId: 'C9', chatType: 'Channel', topicId: 'T1', senderId: '7' })).toEqual([
      'agent:main:discord:channel:c9/t1',
    ])
    expect(aliases({ chatId: 'C9', chatType: 'group' })).toEqual(['agent:main:unknown:group:c9'])
  })

  it('calls the type of a chat unknown that has none', () => {
    expect(aliases({ channel: 'cli', chatId: 'c1', senderId: 'u' })).toEqual(['agent:main:cli:unknown:c1'])
  })

  it('has none for a group without an id', () => {
    expect(aliases({ channel: 'web', chatType: 'group', topicId: 't', senderId: 'u' })).toEqual([])
  })
})

describe('buildSessionAliases', () => {
  it('trims, names each once, and leaves out blank names and the key', () => {
    expect(buildSessionAliases('key', ' a ', 'b', 'a', '', ' \u0085', ' key ', 'B')).toEqual(['a', 'b', 'B'])
    expect(buildSessionAliases(' key ', 'key')).toEqual([])
  })
})
