import { isMainAlias, mainSessionKey, scopeSignature } from '../../src/identity.ts'
import { copyButton } from '../ui/copy-button.ts'
import { type Child, h } from '../ui/dom.ts'
import { icon } from '../ui/icons.ts'
import { dimensions, type Finding } from './identity-state.ts'

/** Whose an alias is: nobody's yet, this conversation's, the main one's, or another's, by its title. */
export type AliasOwner = { readonly kind: 'free' | 'own' | 'main' } | { readonly kind: 'other'; readonly title: string }

export interface KeySteps {
  readonly element: HTMLElement
  /** @param owners - as far as they are known yet */
  show(finding: Finding, owners: ReadonlyMap<string, AliasOwner>): void
}

const ownerText = {
  free: 'not used yet',
  own: 'this conversation',
  main: 'always the main session',
  other: '',
} as const

/** The way from a message to its key, step by step. */
export function createKeySteps(): KeySteps {
  const element = h('ol', { class: 'key-steps', 'data-testid': 'identity-steps' })

  return {
    element,
    show(finding, owners) {
      if ('problem' in finding)
        return element.replaceChildren(
          h('li', { class: 'key-problem', role: 'alert' }, icon('alert'), h('p', {}, finding.problem)),
        )
      const { identity, values } = finding
      const { agentId, matchedBy, scope, scopeKey, key, aliases } = identity
      const counted = scope.dimensions ?? []
      const leftOut = dimensions.filter((name) => !counted.includes(name) && values[name] !== undefined)
      element.replaceChildren(
        step(
          'Message',
          'Letter case and surrounding spaces are ignored.',
          pairs({ channel: scope.channel, account: scope.account, ...values }),
        ),
        step(
          'Route',
          matchedBy === 'default'
            ? 'No rule applies: the default agent answers.'
            : 'The first rule that applies chooses the agent.',
          pairs({ agent: agentId, 'matched by': matchedBy }, 'route'),
        ),
        step(
          'Scope',
          leftOut.length === 0
            ? 'The fields that messages of one conversation have in common.'
            : `The fields that messages of one conversation have in common. Not used: ${leftOut.join(', ')}.`,
          pairs(
            {
              agent: scope.agent_id,
              channel: scope.channel,
              account: scope.account,
              ...Object.fromEntries(counted.map((name) => [name, scope.values?.[name] ?? ''])),
            },
            'scope',
          ),
        ),
        step(
          'Signature',
          'The scope as one line.',
          h('code', { class: 'key-code', 'data-testid': 'identity-signature' }, scopeSignature(scope)),
        ),
        step(
          'Key',
          key === scopeKey
            ? 'The SHA-256 of the signature.'
            : 'The key of the linked person, instead of the SHA-256 of the signature.',
          h(
            'div',
            { class: 'key-line' },
            h('code', { class: 'key-code strong', 'data-testid': 'identity-key' }, key),
            copyButton(() => key, 'Copy key'),
          ),
        ),
        step(
          'Aliases',
          'Other names for the conversation. Each belongs to the first conversation that used it.',
          h(
            'ul',
            { class: 'key-aliases' },
            ...aliases.map((alias) => aliasRow(alias, ownerOf(alias, agentId, owners))),
          ),
        ),
      )
    },
  }
}

function ownerOf(alias: string, agentId: string, owners: ReadonlyMap<string, AliasOwner>): AliasOwner | undefined {
  return isMainAlias(alias, mainSessionKey(agentId)) ? { kind: 'main' } : owners.get(alias)
}

function aliasRow(alias: string, owner: AliasOwner | undefined): HTMLElement {
  const text = owner === undefined ? '' : owner.kind === 'other' ? `used by “${owner.title}”` : ownerText[owner.kind]
  return h(
    'li',
    { 'data-owner': owner?.kind ?? '' },
    h('code', {}, alias),
    h('span', {}, owner?.kind === 'other' && icon('alert'), text),
  )
}

const step = (title: string, note: string, ...content: readonly Child[]): HTMLElement =>
  h('li', { class: 'key-step' }, h('h3', {}, title), h('p', {}, note), ...content)

function pairs(values: Readonly<Record<string, string>>, id = 'values'): HTMLElement {
  return h(
    'dl',
    { class: 'key-pairs', 'data-testid': `identity-${id}` },
    ...Object.entries(values).map(([name, value]) => h('div', {}, h('dt', {}, name), h('dd', {}, value))),
  )
}
