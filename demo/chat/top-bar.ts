import type { ModelContext, SessionClient, SessionMeta } from '../../src/index.ts'
import { createContextChip } from '../context/context-chip.ts'
import { createExportMenu } from '../files/export-menu.ts'
import { createIdentityChip } from '../identity/identity-chip.ts'
import { h } from '../ui/dom.ts'
import { counted } from '../ui/format.ts'
import { iconButton } from '../ui/icon-button.ts'
import { themeToggle } from '../ui/theme.ts'
import type { Toasts } from '../ui/toasts.ts'
import { createBranchMenu } from './branch-menu.ts'

export interface TopBarOptions {
  readonly store: SessionClient
  readonly toasts: Toasts
  readonly onMenu: () => void
  readonly onImport: () => void
  readonly onSettings: () => void
  readonly onIdentity: (meta: SessionMeta | undefined) => void
  readonly onContext: () => void
}

export interface TopBar {
  readonly element: HTMLElement
  show(meta: SessionMeta | undefined): void
  /** @param context - what the model gets, where it is known */
  showContext(context: ModelContext | undefined, window: number): void
}

/** What is open, and the controls of the whole app. */
export function createTopBar({ store, toasts, onMenu, onImport, onSettings, onIdentity, onContext }: TopBarOptions): TopBar {
  const title = h('h1', { 'data-testid': 'title' })
  const size = h('p', { class: 'top-bar-size' })
  const branches = createBranchMenu(store, toasts)
  const identity = createIdentityChip(onIdentity)
  const exporting = createExportMenu(store, toasts)
  const context = createContextChip(onContext)
  const element = h(
    'header',
    { class: 'top-bar' },
    iconButton('menu', 'Conversations', { class: 'icon-button drawer-button', 'data-testid': 'drawer', 'aria-controls': 'sessions', onclick: () => onMenu() }),
    h('div', { class: 'top-bar-title' }, title, size),
    branches.element,
    context.element,
    identity.element,
    iconButton('import', 'Import conversations', { onclick: () => onImport() }),
    exporting.element,
    iconButton('sliders', 'Settings', { 'data-testid': 'settings', onclick: () => onSettings() }),
    themeToggle(),
  )

  return {
    element,
    show(meta) {
      const name = titleOf(meta)
      title.textContent = name
      document.title = meta === undefined ? 'keepsession' : `${name} · keepsession`
      size.textContent = meta === undefined || meta.messageCount === 0 ? '' : counted(meta.messageCount, 'message')
      branches.show(meta)
      identity.show(meta)
      exporting.show(meta)
    },
    showContext: context.show,
  }
}

/** The name a session goes by. */
export const titleOf = (session: { readonly title: string } | undefined): string => session?.title || 'New conversation'
