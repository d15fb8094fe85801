import type { InboundMessage, SessionClient, SessionMeta } from '../../src/index.ts'
import { titleOf } from '../chat/top-bar.ts'
import { h } from '../ui/dom.ts'
import { counted } from '../ui/format.ts'
import { iconButton } from '../ui/icon-button.ts'
import type { Toasts } from '../ui/toasts.ts'
import {
  dimensions,
  findAll,
  firstPolicy,
  messageOf,
  type Policy,
  routingOf,
  sampleMessages,
} from './identity-state.ts'
import { type AliasOwner, createKeySteps } from './key-steps.ts'
import { createMessageForm } from './message-form.ts'
import { createPolicyForm } from './policy-form.ts'
import { createSharingPicture } from './sharing-picture.ts'

export interface IdentityPanelOptions {
  readonly client: SessionClient
  readonly toasts: Toasts
  readonly onOpen: (key: string) => void
}

export interface IdentityPanel {
  readonly element: HTMLDialogElement
  /** Begins with the open conversation. */
  open(meta: SessionMeta | undefined): void
}

/**
 * How messages get their conversation: change a message or a rule, see conversations part and join, and open the one
 * that results.
 */
export function createIdentityPanel({ client, toasts, onOpen }: IdentityPanelOptions): IdentityPanel {
  let messages: readonly InboundMessage[] = sampleMessages
  let policy: Policy = firstPolicy
  let selected = 0
  let found = findAll(messages, policy)
  /** Conversations that are stored, by the key their messages have; and whose each alias of the selected one is. */
  let stored = new Map<string, SessionMeta>()
  let owners = new Map<string, AliasOwner>()
  let lookUps = 0
  /** What led to the conversations that were opened here: scopes don't remember all of it. */
  const openedBy = new Map<string, { readonly message: InboundMessage; readonly policy: Policy }>()

  const note = h('p', { class: 'identity-note' })
  const picture = createSharingPicture(select)
  const messageForm = createMessageForm((message) => {
    messages = messages.with(selected, message)
    refresh()
  })
  const policyForm = createPolicyForm((changed) => {
    policy = changed
    refresh()
  })
  const steps = createKeySteps()
  const outcome = h('p', { class: 'identity-outcome', role: 'status' })
  const openButton = h(
    'button',
    { type: 'button', class: 'button primary', 'data-testid': 'identity-open', onclick: () => void openSelected() },
    'Open conversation',
  )
  const element = h(
    'dialog',
    { class: 'dialog panel identity-panel', 'aria-labelledby': 'identity-title', 'data-testid': 'identity-panel' },
    h(
      'header',
      {},
      h('h2', { id: 'identity-title' }, 'How this conversation’s key is derived'),
      iconButton('close', 'Close', { onclick: () => element.close() }),
    ),
    h(
      'div',
      { class: 'identity-body' },
      h('section', { class: 'identity-overview', 'aria-label': 'Who shares a conversation' }, note, picture.element),
      h('div', { class: 'identity-inputs' }, messageForm.element, policyForm.element),
      h('section', { class: 'identity-way', 'aria-label': 'Steps to the key' }, steps.element),
    ),
    h('footer', {}, outcome, openButton),
  )

  function select(index: number): void {
    selected = index
    messageForm.show(messages[index] ?? {})
    refresh()
  }

  function refresh(): void {
    found = findAll(messages, policy)
    owners = new Map()
    render()
    lookUp().catch((error: unknown) => toasts.fail('The conversations could not be looked up', error))
  }

  function render(): void {
    const finding = found[selected]
    if (finding === undefined) return
    policyForm.setProblem(found.every((one) => 'problem' in one) && 'problem' in finding ? finding.problem : '')
    picture.show(messages, found, selected, new Map([...stored].map(([key, meta]) => [key, titleOf(meta)])))
    steps.show(finding, owners)
    const meta = 'identity' in finding ? stored.get(finding.identity.key) : undefined
    openButton.disabled = 'problem' in finding
    outcome.textContent =
      'problem' in finding
        ? ''
        : meta === undefined
          ? 'A new conversation'
          : `“${titleOf(meta)}”, ${counted(meta.messageCount, 'message')}`
  }

  /** Reads what is stored. Only the newest reading counts. */
  async function lookUp(): Promise<void> {
    const turn = ++lookUps
    const finding = found[selected]
    const keys = found.flatMap((one) => ('identity' in one ? [one.identity.key] : []))
    const aliases = finding !== undefined && 'identity' in finding ? finding.identity.aliases : []
    const own =
      finding !== undefined && 'identity' in finding ? await client.store.resolveSessionKey(finding.identity.key) : ''
    const [metas, aliasOwners] = await Promise.all([
      Promise.all(keys.map(async (key) => [key, await client.store.getMeta(key)] as const)),
      Promise.all(aliases.map(async (alias) => [alias, await ownerOf(alias, own)] as const)),
    ])
    if (turn !== lookUps) return
    stored = new Map(
      metas.filter((pair): pair is [string, SessionMeta] => pair[1] !== undefined && pair[1].deletedAt === undefined),
    )
    owners = new Map(aliasOwners)
    render()
  }

  async function ownerOf(alias: string, own: string): Promise<AliasOwner> {
    const meta = await client.store.getMeta(alias)
    if (meta === undefined) return { kind: 'free' }
    return meta.key === own ? { kind: 'own' } : { kind: 'other', title: titleOf(meta) }
  }

  async function openSelected(): Promise<void> {
    try {
      const session = await client.session(messages[selected] ?? {}, { routing: routingOf(policy) })
      void session.close()
      openedBy.set(session.key, { message: messages[selected] ?? {}, policy })
      element.close()
      onOpen(session.key)
    } catch (error) {
      toasts.fail('The conversation could not be opened', error)
    }
  }

  client.subscribe((change) => {
    if (element.open && change.type === 'session') void lookUp().catch(() => undefined)
  })

  return {
    element,
    open(meta) {
      const known =
        meta &&
        (openedBy.get(meta.key) ??
          (meta.scope && {
            message: messageOf(meta.scope),
            policy: { ...policy, dimensions: dimensions.filter((name) => meta.scope?.dimensions?.includes(name)) },
          }))
      messages =
        known === undefined
          ? sampleMessages
          : [known.message, ...sampleMessages.filter((sample) => !isSame(sample, known.message))]
      policy = known?.policy ?? policy
      note.textContent = noteOn(meta, known !== undefined)
      policyForm.show(policy)
      select(0)
      element.showModal()
    },
  }
}

const isSame = (sample: InboundMessage, message: InboundMessage): boolean =>
  Object.entries(sample).every(([field, value]) => message[field as keyof InboundMessage] === value)

function noteOn(meta: SessionMeta | undefined, isRouted: boolean): string {
  if (isRouted)
    return 'The first message belongs to the open conversation. Change it or the rules to see which messages share a conversation.'
  return `The open conversation was not created from a message${meta === undefined ? '' : `, and its key is ${meta.key}`}. The sample messages below get a key from where they come from.`
}
