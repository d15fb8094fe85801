import { iconButton } from './icon-button.ts'
import { icon } from './icons.ts'
import { onLocalChange, readLocal, writeLocal } from './local.ts'

const systemDark = matchMedia('(prefers-color-scheme: dark)')

type Theme = 'light' | 'dark'

/**
 * A button that changes between light and dark. Follows the system until it is used, and again once it agrees with it.
 */
export function themeToggle(): HTMLButtonElement {
  const button = iconButton('moon', 'Switch to dark colours', { onclick: toggle })

  function show(): void {
    const chosen = readTheme()
    if (chosen === undefined) delete document.documentElement.dataset['theme']
    else document.documentElement.dataset['theme'] = chosen
    const dark = isDark(chosen)
    button.replaceChildren(icon(dark ? 'sun' : 'moon'))
    const label = `Switch to ${dark ? 'light' : 'dark'} colours`
    button.title = label
    button.setAttribute('aria-label', label)
  }

  function toggle(): void {
    const next: Theme = isDark(readTheme()) ? 'light' : 'dark'
    const bySystem: Theme = systemDark.matches ? 'dark' : 'light'
    writeLocal('theme', next === bySystem ? undefined : next)
    show()
  }

  systemDark.addEventListener('change', show)
  onLocalChange('theme', show)
  show()
  return button
}

const isDark = (chosen: Theme | undefined): boolean => (chosen === undefined ? systemDark.matches : chosen === 'dark')

function readTheme(): Theme | undefined {
  const value = readLocal('theme')
  return value === 'light' || value === 'dark' ? value : undefined
}
