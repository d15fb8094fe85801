import { createDelay } from '../create-delay.ts'
import { counted, timeOf } from '../describe-values.ts'
import type { Inspection, InspectorView } from '../inspection.ts'
import { listTabs, type StoreTab } from '../list-tabs.ts'
import { button, figures, fill, h, scrollArea, section } from '../make-element.ts'

/** The browser tells nobody when a lock changes hands. */
const lookAgainMs = 2_000

/** Who leads, and which tabs have the store open. */
export function createTabsView(inspection: Inspection): InspectorView {
  const { client, sync, signal } = inspection
  const about = h('div')
  const list = h('div', { class: 'cards' })
  let isShown = false
  const again = createDelay(lookAgainMs, signal, look)

  function look(): void {
    inspection.attempt(async () => {
      try {
        const [tabs, term] = await Promise.all([listTabs(client.name), client.store.claimTerm()])
        if (isShown) display(tabs, term)
      } finally {
        if (isShown) again.start()
      }
    })
  }

  function display(tabs: readonly StoreTab[] | undefined, { term }: { readonly term: number }): void {
    const leader = tabs?.find(({ isLeader }) => isLeader)
    about.replaceChildren(
      figures([
        ['Leader', leader === undefined ? 'none' : leader.isThis ? 'this tab' : 'another tab'],
        ['Term', String(term)],
        ['Tabs', tabs === undefined ? 'unknown: this browser has no Web Locks here' : String(tabs.length)],
        ...(sync === undefined ? [] : [['Syncs', sync.getSnapshot().isLeader ? 'this tab' : 'another tab'] as const]),
        ['Looked at', timeOf(Date.now())],
      ]),
    )
    fill(list, (tabs ?? []).map(cardOf))
  }

  return {
    element: h(
      'div',
      { class: 'view' },
      h('div', { class: 'bar' }, button('Refresh', look)),
      scrollArea('Tabs', about, section('Tabs of this browser', list)),
    ),
    show() {
      isShown = true
      look()
    },
    hide() {
      isShown = false
      again.stop()
    },
  }
}

/** Keys that are listed of one tab. */
const mostKeys = 20

function cardOf({ client, isThis, isLeader, isCandidate, stores, sessions }: StoreTab): HTMLElement {
  const role = isLeader ? 'leads' : isCandidate ? 'waits to lead' : 'is no candidate'
  const keys = sessions.slice(0, mostKeys).join(', ')
  return h(
    'article',
    { class: 'card' },
    h('h4', {}, isThis ? 'This tab' : 'Another tab'),
    figures([
      ['Role', role],
      ['Clients', counted(stores, 'client')],
      ['Open sessions', sessions.length > mostKeys ? `${keys} and ${sessions.length - mostKeys} more` : keys || 'none'],
      ['Id', client],
    ]),
  )
}
