import { iconButton } from '../ui/icon-button.ts'

/** What browsers say that would install the app. */
interface InstallEvent extends Event {
  prompt(): Promise<unknown>
}

/** Offers to install the app, where and as long as the browser would. */
export function installButton(): HTMLElement {
  let event: InstallEvent | undefined
  const button = iconButton('install', 'Install this app', {
    hidden: true,
    'data-testid': 'install',
    onclick: () => {
      button.hidden = true
      void event?.prompt()
    },
  })
  addEventListener('beforeinstallprompt', (found) => {
    // Otherwise some browsers ask at once, in the middle of things.
    found.preventDefault()
    event = found as InstallEvent
    button.hidden = false
  })
  addEventListener('appinstalled', () => (button.hidden = true))
  return button
}
