import type { ModelContext, SessionClient, SessionMeta } from '../../src/index.ts'
import { createContextChip } from '../context/context-chip.ts'
import { device } from '../device.ts'
import { createExportMenu } from '../files/export-menu.ts'
import { createHistoryChips } from '../history/history-chips.ts'
import { createIdentityChip } from '../identity/identity-chip.ts'
import { createInspectSwitch } from '../inspector/inspect-switch.ts'
import { commandKey } from '../ui/command-key.ts'
import { h } from '../ui/dom.ts'
import { counted } from '../ui/format.ts'
import { iconButton } from '../ui/icon-button.ts'
import { icon } from '../ui/icons.ts'
import type { Toasts } from '../ui/toasts.ts'

export interface TopBarOptions {
  readonly client: SessionClient
  readonly toasts: Toasts
  /** How sync stands. */
  readonly sync: HTMLElement
  readonly onMenu: () => void
  readonly onSearch: () => void
  readonly onTree: () => void
  readonly onCheckpoints: () => void
  readonly onIdentity: (meta: SessionMeta | undefined) => void
  readonly onContext: () => void
  /** Opens the inspector of the library. */
  readonly onInspect: () => void
}

export interface TopBar {
  readonly element: HTMLElement
  show(meta: SessionMeta | undefined): void
  /** @param context - what the model gets, where it is known */
  showContext(context: ModelContext | undefined, window: number): void
}

/** What is open, and what can be done with it. */
export function createTopBar({
  client,
  toasts,
  sync,
  onMenu,
  onSearch,
  onTree,
  onCheckpoints,
  onIdentity,
  onContext,
  onInspect,
}: TopBarOptions): TopBar {
  const title = h('h1', { 'data-testid': 'title', dir: 'auto' })
  const size = h('p', { class: 'top-bar-size' })
  const history = createHistoryChips(onTree, onCheckpoints)
  const identity = createIdentityChip(onIdentity)
  const exporting = createExportMenu(client, toasts)
  const context = createContextChip(onContext)
  const tools = h(
    'div',
    { class: 'inspect-tools', role: 'group', 'aria-label': 'Inspect' },
    context.element,
    ...history.elements,
    identity.element,
    h(
      'button',
      {
        type: 'button',
        class: 'chip',
        'data-testid': 'open-inspector',
        title: `Open the inspector (${commandKey} Shift L)`,
        onclick: () => onInspect(),
      },
      icon('tool'),
      h('span', {}, 'Inspector'),
    ),
  )
  const element = h(
    'header',
    { class: 'top-bar' },
    iconButton('menu', 'Conversations', {
      class: 'icon-button drawer-button',
      'data-testid': 'drawer',
      'aria-controls': 'sessions',
      onclick: () => onMenu(),
    }),
    h('div', { class: 'top-bar-title' }, title, size),
    iconButton('search', 'Search', { class: 'icon-button narrow-search', onclick: () => onSearch() }),
    h('div', { class: 'top-bar-chips' }, tools, sync, createInspectSwitch(tools)),
    exporting.element,
  )

  return {
    element,
    show(meta) {
      const name = titleOf(meta)
      title.textContent = name
      document.title = `${meta === undefined ? '' : `${name} · `}keepsession${device === 1 ? '' : ` (device ${device})`}`
      size.textContent = meta === undefined || meta.messageCount === 0 ? '' : counted(meta.messageCount, 'message')
      history.show(meta)
      identity.show(meta)
      exporting.show(meta)
    },
    showContext: context.show,
  }
}

/** The name a session goes by. */
export const titleOf = (session: { readonly title: string } | undefined): string => session?.title || 'New conversation'
