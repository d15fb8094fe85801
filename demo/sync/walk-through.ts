import type { DeviceSyncSnapshot } from '../../src/sync.ts'
import { clockSelect } from '../clock/clock-select.ts'
import { device, deviceAddress } from '../device.ts'
import { h } from '../ui/dom.ts'
import { iconButton } from '../ui/icon-button.ts'
import { icon } from '../ui/icons.ts'
import { onLocalChange, readLocal, writeLocal } from '../ui/local.ts'
import { syncWords } from './sync-words.ts'

const name = 'walk-through'

export interface WalkThrough {
  readonly element: HTMLElement
  /** Shows it here and on the other device. */
  begin(): void
  show(snapshot: DeviceSyncSnapshot | undefined): void
}

/**
 * How two devices that write without each other come to the same: steps to try, with a switch that takes this one
 * offline.
 */
export function createWalkThrough(onOffline: (isOffline: boolean) => void): WalkThrough {
  const offline = h('input', {
    type: 'checkbox',
    role: 'switch',
    'data-testid': 'offline',
    onchange: () => onOffline(offline.checked),
  })
  const state = h('span', { class: 'walk-state', role: 'status' })
  const element = h(
    'section',
    { class: 'walk-through', 'aria-labelledby': 'walk-title', 'data-testid': 'walk-through' },
    h(
      'header',
      {},
      icon('devices'),
      h('h2', { id: 'walk-title' }, `Device ${device}`),
      state,
      clockSelect(),
      h('label', { class: 'settings-check' }, offline, 'Offline'),
      iconButton('close', 'Close', { onclick: () => set(false) }),
    ),
    h(
      'ol',
      {},
      h(
        'li',
        {},
        otherDeviceLink('Open the other device'),
        ' next to this one, with the same conversation. Each shows who is on the other device and what they are writing.',
      ),
      h('li', {}, 'Take both offline with the switch on each.'),
      h('li', {}, 'Write in the conversation on both. Delete another conversation on one of them.'),
      h(
        'li',
        {},
        'Go back online on both: all messages appear on both, in the same order, and what you deleted stays deleted.',
      ),
      h(
        'li',
        {},
        'Set one clock three hours wrong and write on both in turn: messages stay in the order in which you wrote them, and each shows the time of its device’s clock.',
      ),
    ),
  )

  function set(isShown: boolean): void {
    writeLocal(name, isShown ? 'true' : undefined)
    follow()
  }

  function follow(): void {
    element.hidden = readLocal(name) !== 'true'
  }

  onLocalChange(name, follow)
  follow()

  return {
    element,
    begin: () => set(true),
    show(snapshot) {
      offline.disabled = snapshot === undefined
      offline.checked = snapshot?.status.state === 'paused'
      const { word } = syncWords(snapshot)
      if (state.textContent !== word) state.textContent = word
    },
  }
}

/** Opens the app as another device, in a window of its own. */
export const otherDeviceLink = (text: string, look?: string): HTMLAnchorElement =>
  h(
    'a',
    {
      class: look,
      href: deviceAddress(device === 1 ? 2 : 1),
      target: '_blank',
      rel: 'noopener',
      'data-testid': 'other-device',
    },
    text,
  )
