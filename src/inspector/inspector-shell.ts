import { beginInspection, type Inspection, type InspectorView, type ViewName, viewNames } from './inspection.ts'
import type { InspectedClient, InspectorOptions } from './inspector-options.ts'
import { button, h } from './make-element.ts'
import { createBranchesView } from './views/branches-view.ts'
import { createCommitsView } from './views/commits-view.ts'
import { createContextView } from './views/context-view.ts'
import { createDraftsView } from './views/drafts-view.ts'
import { createLogView } from './views/log-view.ts'
import { createSessionsView } from './views/session-list-view.ts'
import { createStorageView } from './views/storage-view.ts'
import { createSyncView } from './views/sync-view.ts'
import { createTabsView } from './views/tabs-view.ts'
import { createToolsView } from './views/tools-view.ts'

const makers: Readonly<Record<ViewName, (inspection: Inspection) => InspectorView>> = {
  Sessions: createSessionsView,
  Log: createLogView,
  Branches: createBranchesView,
  Drafts: createDraftsView,
  Context: createContextView,
  Tabs: createTabsView,
  Storage: createStorageView,
  Sync: createSyncView,
  Commits: createCommitsView,
  Tools: createToolsView,
}

/** What an inspector consists of, wherever it stands. */
export interface InspectorShell {
  readonly element: HTMLElement
  /** Ends every subscription, timer and read of it. */
  end(): void
}

/**
 * Puts the views together.
 *
 * @param controls - further buttons for its title bar
 */
export function createInspectorShell(
  client: InspectedClient,
  options: InspectorOptions,
  controls: readonly HTMLElement[],
): InspectorShell {
  const inspection = beginInspection(client, options)
  const views = new Map<ViewName, InspectorView>()
  const panels = new Map<ViewName, HTMLElement>()
  let current: ViewName | undefined

  const said = h('p', { class: 'said', role: 'status', hidden: true })
  const dismiss = button('Dismiss', () => inspection.say(''))
  const tabs = viewNames.map((name) => createTab(name, () => show(name)))
  const tabList = h('div', { role: 'tablist', 'aria-label': 'Views', onkeydown: onKey }, tabs)
  for (const name of viewNames)
    panels.set(
      name,
      h('div', { role: 'tabpanel', id: `panel-${name}`, 'aria-labelledby': `tab-${name}`, hidden: true }),
    )

  /** A view is made when it is looked at for the first time. */
  function show(name: ViewName): void {
    if (current !== undefined && current !== name) {
      views.get(current)?.hide()
      panels.get(current)!.hidden = true
    }
    const isOther = current !== name
    current = name
    tabs.forEach((tab, index) => {
      const isCurrent = viewNames[index] === name
      tab.setAttribute('aria-selected', String(isCurrent))
      tab.tabIndex = isCurrent ? 0 : -1
      if (isCurrent && isOther) tab.scrollIntoView?.({ block: 'nearest', inline: 'nearest' })
    })
    const panel = panels.get(name)!
    panel.hidden = false
    let view = views.get(name)
    if (view === undefined) {
      view = makers[name](inspection)
      views.set(name, view)
      panel.append(view.element)
    }
    if (isOther) view.show()
  }

  function onKey(event: KeyboardEvent): void {
    const at = tabs.findIndex((tab) => tab === event.target)
    const steps: Readonly<Record<string, number>> = {
      ArrowRight: at + 1,
      ArrowLeft: at - 1,
      Home: 0,
      End: tabs.length - 1,
    }
    const step = steps[event.key]
    if (at < 0 || step === undefined) return
    event.preventDefault()
    const index = (step + tabs.length) % tabs.length
    show(viewNames[index]!)
    tabs[index]!.focus()
  }

  inspection.onView((name) => {
    show(name)
    tabs[viewNames.indexOf(name)]!.focus()
  })
  inspection.onSaid((text, isError) => {
    said.hidden = text === ''
    said.toggleAttribute('data-error', isError)
    said.replaceChildren(text, ' ', dismiss)
  })
  const element = h(
    'div',
    { class: 'root' },
    h('div', { class: 'bar title' }, h('h2', { dir: 'auto' }, `keepsession · ${client.name}`), controls),
    tabList,
    said,
    [...panels.values()],
  )
  show('Sessions')

  return {
    element,
    end() {
      if (current !== undefined) views.get(current)?.hide()
      inspection.end()
    },
  }
}

const createTab = (name: ViewName, onclick: () => void): HTMLButtonElement =>
  h(
    'button',
    {
      type: 'button',
      role: 'tab',
      id: `tab-${name}`,
      'aria-controls': `panel-${name}`,
      // Where the focus goes when the inspector gets it.
      autofocus: name === viewNames[0],
      onclick,
    },
    name,
  )
