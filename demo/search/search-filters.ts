import type { SessionClient } from '../../src/index.ts'
import type { SearchFilter } from '../../src/types.ts'
import { h } from '../ui/dom.ts'

const dayMs = 86_400_000

const periods = [
  { name: 'Any time', days: undefined },
  { name: 'Last 24 hours', days: 1 },
  { name: 'Last 7 days', days: 7 },
  { name: 'Last 30 days', days: 30 },
  { name: 'Last year', days: 365 },
] as const

export interface SearchFilters {
  readonly element: HTMLElement
  /** @param openKey - the session that is open, while it has messages */
  open(openKey: string | undefined): void
  read(): SearchFilter
}

/** What a search is about: this conversation or all, whose, and when. */
export function createSearchFilters(client: SessionClient, onChange: () => void): SearchFilters {
  const where = h('select', { 'data-testid': 'search-where', 'aria-label': 'Where' })
  const agent = h('select', { 'data-testid': 'search-agent', 'aria-label': 'Agent' })
  const when = h(
    'select',
    { 'data-testid': 'search-when', 'aria-label': 'When' },
    ...periods.map(({ name }, i) => h('option', { value: i }, name)),
  )
  const element = h(
    'div',
    { class: 'search-filters', role: 'group', 'aria-label': 'Filters', onchange: () => onChange() },
    where,
    agent,
    when,
  )
  let key: string | undefined

  /** Agents are not listed anywhere, so they are those of the newest sessions. */
  async function readAgents(): Promise<void> {
    const { sessions } = await client.listSessions({ limit: 1000 })
    const agents = [...new Set(sessions.flatMap(({ agentId }) => agentId ?? []))].toSorted()
    const chosen = agent.value
    agent.replaceChildren(
      h('option', { value: '' }, 'All agents'),
      ...agents.map((id) => h('option', { value: id }, id)),
    )
    agent.value = agents.includes(chosen) ? chosen : ''
    agent.hidden = agents.length < 2
  }

  return {
    element,
    open(openKey) {
      key = openKey
      where.replaceChildren(
        h('option', { value: '' }, 'All conversations'),
        ...(openKey === undefined ? [] : [h('option', { value: 'this' }, 'This conversation')]),
      )
      readAgents().catch(() => (agent.hidden = true))
    },
    read() {
      const { days } = periods[Number(when.value)] ?? periods[0]
      return {
        ...(where.value === 'this' && key !== undefined && { sessionKey: key }),
        ...(agent.value !== '' && { agentId: agent.value }),
        ...(days !== undefined && { from: Date.now() - days * dayMs }),
      }
    },
  }
}
