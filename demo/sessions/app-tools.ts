import { installButton } from '../offline/install-button.ts'
import { h } from '../ui/dom.ts'
import { iconButton } from '../ui/icon-button.ts'
import { themeToggle } from '../ui/theme.ts'

/** The controls of the whole app, at the foot of the list. */
export function appTools({
  onImport,
  onStorage,
  onSettings,
}: {
  readonly onImport: () => void
  readonly onStorage: () => void
  readonly onSettings: () => void
}): HTMLElement {
  return h(
    'div',
    { class: 'app-tools', role: 'group', 'aria-label': 'App' },
    iconButton('import', 'Import conversations', { 'data-testid': 'import', onclick: () => onImport() }),
    iconButton('disk', 'Storage', { 'data-testid': 'storage', onclick: () => onStorage() }),
    iconButton('sliders', 'Settings', { 'data-testid': 'settings', onclick: () => onSettings() }),
    installButton(),
    themeToggle(),
  )
}
