import type { Dimension, DispatchSelector, IdentityLinks, RoutingConfig } from '../../contract/message-identity.ts'
import { goNormal, goTrim } from './go-text.ts'
import { booleanAt, listAt, objectAt, refusal, textAt } from './identity-input.ts'
import { checkLinks } from './identity-links.ts'
import { normaliseAccountId, normaliseAgentId } from './normalise-id.ts'

/** A checked rule. */
interface NormalRule {
  readonly matchedBy: string
  /** `''` when it names none. */
  readonly agentId: string
  /** The values that a message must have, field by field; only the given ones. */
  readonly when: readonly (readonly [field: keyof DispatchSelector, value: string | boolean])[]
  /** Absent: the dimensions of the session. */
  readonly dimensions?: readonly Dimension[]
}

/** A {@link RoutingConfig}, checked and in normal form. */
export interface NormalConfig {
  readonly agentIds: readonly string[]
  readonly defaultAgentId: string
  readonly rules: readonly NormalRule[]
  readonly dimensions: readonly Dimension[]
  readonly identityLinks: IdentityLinks
  readonly acrossChannels: boolean | undefined
}

const dmScopes: Readonly<Record<string, readonly Dimension[]>> = {
  'per-channel-peer': ['chat', 'sender'],
  'per-channel': ['chat'],
  'per-peer': ['sender'],
  global: [],
}

const normalFields: Readonly<Record<string, (value: string) => string>> = {
  channel: goNormal,
  // A blank one accepts any account here. In PicoClaw it accepts only `default`, which leaves messages of other
  // accounts without their rule.
  account: (value) => (goTrim(value) === '' ? '' : normaliseAccountId(value)),
  space: goNormal,
  chat: goNormal,
  topic: goNormal,
  sender: goNormal,
}

/**
 * Checks a configuration as a whole, before any message is routed by it. Unknown fields are ignored, as PicoClaw's file
 * has many others; but not in a selector, where an overlooked field would widen the rule.
 *
 * @throws InvalidInput with the place, the value found there and what is allowed
 */
export function readRoutingConfig(config: RoutingConfig): NormalConfig {
  const { agents, session } = objectAt(config, 'config')
  const { list, dispatch } = objectAt(agents, 'agents')
  const known = listAt(list, 'agents.list').map((agent, i) => readAgent(agent, `agents.list[${i}]`))
  return {
    agentIds: known.map(({ id }) => id),
    defaultAgentId: (known.find(({ isDefault }) => isDefault) ?? known[0])?.id ?? normaliseAgentId(''),
    rules: listAt(objectAt(dispatch, 'agents.dispatch')['rules'], 'agents.dispatch.rules').map((rule, i) =>
      readRule(rule, `agents.dispatch.rules[${i}]`),
    ),
    ...readSession(session),
  }
}

function readAgent(agent: unknown, path: string): { readonly id: string; readonly isDefault: boolean } {
  const fields = objectAt(agent, path)
  const id = textAt(fields['id'], `${path}.id`)
  if (goTrim(id) === '') throw refusal(`${path}.id`, fields['id'], 'Pass the id of the agent.')
  return { id: normaliseAgentId(id), isDefault: booleanAt(fields['default'], `${path}.default`) ?? false }
}

function readRule(rule: unknown, path: string): NormalRule {
  const fields = objectAt(rule, path)
  const name = goNormal(textAt(fields['name'], `${path}.name`))
  const agent = textAt(fields['agent'], `${path}.agent`)
  const given = listAt(fields['session_dimensions'], `${path}.session_dimensions`)
  return {
    matchedBy: name === '' ? 'dispatch.rule' : `dispatch.rule:${name}`,
    agentId: goTrim(agent) === '' ? '' : normaliseAgentId(agent),
    when: readSelector(fields['when'], `${path}.when`),
    ...(given.length === 0 ? {} : { dimensions: readDimensions(given, `${path}.session_dimensions`) }),
  }
}

function readSelector(when: unknown, path: string): NormalRule['when'] {
  const asked: [keyof DispatchSelector, string | boolean][] = []
  for (const [field, value] of Object.entries(objectAt(when, path))) {
    const place = `${path}.${field}`
    if (field === 'mentioned') {
      const mentioned = booleanAt(value, place)
      if (mentioned !== undefined) asked.push([field, mentioned])
      continue
    }
    if (!Object.hasOwn(normalFields, field))
      throw refusal(
        place,
        value,
        `A selector has no such field. Use ${Object.keys(normalFields).join(', ')} or mentioned.`,
      )
    const normal = (normalFields[field] as (value: string) => string)(textAt(value, place))
    if (normal !== '') asked.push([field as keyof DispatchSelector, normal])
  }
  return asked
}

function readSession(session: unknown): Pick<NormalConfig, 'dimensions' | 'identityLinks' | 'acrossChannels'> {
  const {
    dimensions,
    dm_scope: dmScope,
    identity_links: links,
    across_channels: acrossChannels,
  } = objectAt(session, 'session')
  const given = readDimensions(listAt(dimensions, 'session.dimensions'), 'session.dimensions')
  const scope = goNormal(textAt(dmScope, 'session.dm_scope'))
  if (scope !== '' && !Object.hasOwn(dmScopes, scope))
    throw refusal('session.dm_scope', dmScope, `Use ${Object.keys(dmScopes).join(', ')}, or session.dimensions.`)
  // An empty list is a setting too, but `dm_scope`, the older setting, overrides it.
  const fallback =
    scope !== '' ? dmScopes[scope] : dimensions === undefined || dimensions === null ? ['chat' as const] : []
  return {
    dimensions: given.length > 0 ? given : (fallback as readonly Dimension[]),
    identityLinks: checkLinks(links, 'session.identity_links'),
    acrossChannels: booleanAt(acrossChannels, 'session.across_channels'),
  }
}

function readDimensions(names: readonly unknown[], path: string): readonly Dimension[] {
  const known: readonly string[] = ['space', 'chat', 'topic', 'sender'] satisfies Dimension[]
  const normal = names.map((name, i) => {
    const found = goNormal(textAt(name, `${path}[${i}]`))
    if (!known.includes(found)) throw refusal(`${path}[${i}]`, name, `Use ${known.join(', ')}.`)
    return found as Dimension
  })
  return [...new Set(normal)]
}
