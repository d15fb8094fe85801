import type { SessionClient } from '../../src/index.ts'
import { h } from '../ui/dom.ts'
import { icon } from '../ui/icons.ts'

const prompts = [
  'Who are you?',
  'Show me some code',
  'Make a list of things to try',
  'How much storage do we use?',
] as const

export interface WelcomeOptions {
  readonly client: SessionClient
  readonly onPrompt: (text: string) => void
  readonly onSample: () => void
  readonly onImport: () => void
}

/** What an empty conversation shows. The sample is offered as long as nothing is stored. */
export function createWelcome({ client, onPrompt, onSample, onImport }: WelcomeOptions): HTMLElement {
  const sample = h(
    'div',
    { class: 'welcome-files', hidden: true },
    h(
      'button',
      { type: 'button', class: 'button primary', 'data-testid': 'sample', onclick: () => onSample() },
      'Try a sample conversation',
    ),
    h('button', { type: 'button', class: 'button', onclick: () => onImport() }, icon('import'), 'Import conversations'),
  )
  const all = client.sessions({ limit: 1 })
  all.subscribe(() => (sample.hidden = all.getSnapshot()?.total !== 0))

  return h(
    'div',
    { class: 'welcome' },
    h('h2', {}, 'A chat that stays with you'),
    h(
      'p',
      {},
      'Everything you write is saved in this browser. Close the tab in the middle of a reply, go offline, or open a second window: nothing is lost, and both windows show the same.',
    ),
    h(
      'ul',
      { class: 'prompts' },
      ...prompts.map((text) =>
        h('li', {}, h('button', { type: 'button', class: 'prompt', onclick: () => onPrompt(text) }, text)),
      ),
    ),
    sample,
  )
}
