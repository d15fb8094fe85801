import {
  allocateSession,
  createSessionRouter,
  type Dimension,
  type InboundMessage,
  type MessageIdentity,
  type RoutingConfig,
  type SessionScope,
} from '../../src/identity.ts'

export const dimensions = ['space', 'chat', 'topic', 'sender'] as const satisfies readonly Dimension[]

/** What the panel lets one decide about routing. */
export interface Policy {
  readonly dimensions: readonly Dimension[]
  /** One person a line: `alice = telegram:111, slack:U9`. */
  readonly links: string
  readonly acrossChannels: boolean
  readonly helpDesk: boolean
}

export const firstPolicy: Policy = {
  dimensions: ['chat'],
  links: 'alice = telegram:111, slack:U9',
  acrossChannels: false,
  helpDesk: true,
}

/** Messages that show every rule at work. */
export const sampleMessages: readonly InboundMessage[] = [
  { channel: 'telegram', chatType: 'direct', chatId: '111', senderId: '111' },
  { channel: 'slack', chatType: 'direct', chatId: 'D7', spaceType: 'workspace', spaceId: 'T01', senderId: 'U9' },
  { channel: 'telegram', chatType: 'group', chatId: '-100', senderId: '111' },
  { channel: 'telegram', chatType: 'group', chatId: '-100', senderId: '222' },
]

/** The configuration a policy stands for. @throws Error when a line of its links can't be read */
export function routingOf({ dimensions: names, links, acrossChannels, helpDesk }: Policy): RoutingConfig {
  return {
    agents: {
      list: [{ id: 'main' }, { id: 'support' }],
      dispatch: { rules: helpDesk ? [{ name: 'help desk', agent: 'support', when: { mentioned: true } }] : [] },
    },
    session: { dimensions: names, identity_links: linksOf(links), across_channels: acrossChannels },
  }
}

function linksOf(text: string): [name: string, ids: string[]][] {
  const lines = text.split('\n').filter((line) => line.trim() !== '')
  return lines.map((line) => {
    const [name = '', ids, ...more] = line.split('=')
    if (name.trim() === '' || ids === undefined || more.length > 0)
      throw new Error(`“${line.trim()}” should be a name, an equals sign, and ids separated by commas.`)
    return [name.trim(), ids.split(',').map((id) => id.trim())]
  })
}

/** Where a message goes, or why it can't be told. */
export type Finding =
  | { readonly identity: MessageIdentity; readonly values: Readonly<Record<string, string>> }
  | { readonly problem: string }

/** Where each message goes under a policy. */
export function findAll(messages: readonly InboundMessage[], policy: Policy): readonly Finding[] {
  const attempt = (run: () => Finding): Finding => {
    try {
      return run()
    } catch (error) {
      return { problem: (error as Error).message }
    }
  }
  let route: ReturnType<typeof createSessionRouter>
  const broken = attempt(() => {
    const routing = routingOf(policy)
    route = createSessionRouter(routing)
    return { problem: '' }
  }) as { readonly problem: string }
  if (broken.problem !== '') return messages.map(() => broken)
  return messages.map((context) =>
    attempt(() => ({
      identity: route(context),
      values:
        allocateSession({ context, policy: { dimensions, identityLinks: linksOf(policy.links) } }).scope.values ?? {},
    })),
  )
}

/** A message that has this scope: the one a conversation was opened by, as far as the scope remembers it. */
export function messageOf({ agent_id: agentId, channel, account, values = {} }: SessionScope): InboundMessage {
  const parts = (value: string | undefined): readonly [string, string] => {
    const colon = value?.indexOf(':') ?? -1
    return value === undefined || colon < 0 ? ['', value ?? ''] : [value.slice(0, colon), value.slice(colon + 1)]
  }
  const [chatType, chatId] = parts(values['chat'])
  const [spaceType, spaceId] = parts(values['space'])
  // The default agent is not named, so that the rules can choose another.
  return {
    ...(agentId === 'main' ? {} : { agentId }),
    channel,
    account,
    chatType,
    chatId,
    spaceType,
    spaceId,
    topicId: parts(values['topic'])[1],
    senderId: values['sender'] ?? '',
  }
}
