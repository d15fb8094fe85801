import type { RootKey } from '../../src/sync/encryption/root-key.ts'
import type { DeviceSyncSnapshot } from '../../src/sync.ts'
import { device } from '../device.ts'
import { h } from '../ui/dom.ts'
import { icon } from '../ui/icons.ts'
import { createPanel, figureRows, panelSection } from '../ui/panel.ts'
import { messageOf, type Toasts } from '../ui/toasts.ts'
import { createKeyChangeView } from './key-change-view.ts'
import type { Invitation } from './pairing.ts'
import { createPairingView } from './pairing-view.ts'
import { planView } from './plan-view.ts'
import { hasNextRootKey } from './root-key.ts'
import { createSignOutView } from './sign-out-view.ts'
import type { SyncControl } from './sync-control.ts'
import { createSyncForm } from './sync-form.ts'
import { readSyncSettings, type SyncSettings } from './sync-settings.ts'
import { createSyncStateView } from './sync-state-view.ts'
import { otherDeviceLink, type WalkThrough } from './walk-through.ts'

export interface SyncPanelOptions {
  readonly control: SyncControl
  readonly toasts: Toasts
  readonly walkThrough: WalkThrough
}

export interface SyncPanel {
  readonly element: HTMLDialogElement
  open(): void
  /** Shows what taking part would do. */
  take(invitation: Invitation): void
  show(snapshot: DeviceSyncSnapshot | undefined): void
}

/** Sync: off, about to begin, or on. */
export function createSyncPanel({ control, toasts, walkThrough }: SyncPanelOptions): SyncPanel {
  const state = createSyncStateView()
  const form = createSyncForm((settings) => void prepare(settings, undefined))
  const plan = h('div', { role: 'status' })
  const pause = h('button', {
    type: 'button',
    class: 'button',
    'data-testid': 'sync-pause',
    onclick: () => void attempt('Sync could not be paused', isPaused() ? control.resume() : control.pause()),
  })
  const now = h(
    'button',
    { type: 'button', class: 'button', 'data-testid': 'sync-now', onclick: () => void syncNow() },
    icon('sync'),
    'Sync now',
  )
  const place = h('dl', { class: 'panel-figures' })
  const pairing = createPairingView(toasts)
  const keyChange = createKeyChangeView(control.changeKey)
  const key = panelSection(
    'Encryption key',
    h(
      'p',
      { class: 'hint' },
      'Change the key if you lost a device or someone else saw the code. With the old key, nobody can read what is written afterwards.',
    ),
    keyChange.element,
  )
  const on = h(
    'div',
    { class: 'panel-parts' },
    h('div', { class: 'panel-buttons start' }, pause, now),
    panelSection(
      'Another device',
      h(
        'p',
        { class: 'hint' },
        'The QR code contains the server, the namespace and the access token, and with end-to-end encryption also the key.',
      ),
      pairing.element,
    ),
    key,
    panelSection(
      'Try it here',
      h('p', { class: 'hint' }, 'A second device in this browser has its own database and the same settings.'),
      h(
        'div',
        { class: 'panel-buttons start' },
        otherDeviceLink(`Open device ${device === 1 ? 2 : 1}`, 'button'),
        h(
          'button',
          {
            type: 'button',
            class: 'button',
            'data-testid': 'walk',
            onclick: () => (element.close(), walkThrough.begin()),
          },
          icon('devices'),
          'Walk through a conflict',
        ),
      ),
    ),
    panelSection(
      'This device',
      place,
      h(
        'div',
        { class: 'panel-buttons start' },
        h(
          'button',
          { type: 'button', class: 'button', 'data-testid': 'sync-change', onclick: () => change() },
          'Change server or token…',
        ),
      ),
      createSignOutView(control.unsent, (andDelete) => void signOut(andDelete)),
    ),
  )
  const off = h('div', { class: 'panel-parts' }, plan, form.element)
  const element = createPanel('sync', 'Sync', state.element, on, off)
  let ending: AbortController | undefined
  let shown: DeviceSyncSnapshot | undefined
  /** Another server, token or key is asked for. What is on stays on until it is tried, and is shown again after. */
  let isChanging = false

  const isPaused = (): boolean => shown?.status.state === 'paused'

  async function attempt(what: string, work: Promise<void>): Promise<void> {
    await work.catch((error: unknown) => toasts.fail(what, error))
  }

  async function syncNow(): Promise<void> {
    now.disabled = true
    await attempt('Sync did not finish', control.syncNow())
    now.disabled = isPaused()
  }

  async function prepare(settings: SyncSettings, key: RootKey | undefined): Promise<void> {
    ending?.abort()
    const mine = new AbortController()
    ending = mine
    isChanging = true
    form.setBusy(true)
    plan.replaceChildren()
    try {
      const found = await control.prepare(settings, key, mine.signal)
      plan.replaceChildren(planView(found, begin, () => void giveUp()))
      form.element.hidden = true
      plan.querySelector<HTMLElement>('.primary')?.focus()
    } catch (error) {
      if (!mine.signal.aborted)
        plan.replaceChildren(
          h('p', { class: 'sync-warning', role: 'alert', 'data-testid': 'sync-problem' }, messageOf(error)),
        )
    } finally {
      if (ending === mine) ending = undefined
      form.setBusy(false)
    }
  }

  function begin(): void {
    isChanging = false
    void attempt('Sync could not start', control.begin())
  }

  async function giveUp(): Promise<void> {
    ending?.abort()
    isChanging = false
    plan.replaceChildren()
    form.element.hidden = false
    await attempt('The connection could not be closed', control.giveUp())
  }

  async function signOut(andDelete: boolean): Promise<void> {
    try {
      await control.signOut(andDelete)
      if (andDelete) location.replace(location.pathname + location.search)
    } catch (error) {
      toasts.show({
        text: `Not everything could be deleted: ${messageOf(error)}`,
        tone: 'error',
        shownMs: 60_000,
        action: { label: 'Reload', run: () => location.reload() },
      })
    }
  }

  function show(snapshot: DeviceSyncSnapshot | undefined): void {
    shown = snapshot
    state.show(snapshot)
    const isOn = snapshot !== undefined && !isChanging
    if (isOn === on.hidden) {
      on.hidden = !isOn
      off.hidden = isOn
      plan.replaceChildren()
      form.element.hidden = false
      form.show()
      pairing.hide()
    }
    if (!isOn) return
    pause.replaceChildren(icon(isPaused() ? 'play' : 'pause'), isPaused() ? 'Resume' : 'Pause')
    now.disabled = isPaused()
    const { server, namespace, isSealed } = readSyncSettings()
    key.hidden = !isSealed
    keyChange.show(hasNextRootKey(namespace))
    place.replaceChildren(
      ...figureRows([
        ['Server', server],
        ['Namespace', namespace],
        ['Encryption', isSealed ? 'end-to-end' : 'in transit only'],
      ]),
    )
  }

  function change(): void {
    isChanging = true
    show(shown)
    form.element.querySelector('input')?.focus()
  }

  element.addEventListener('close', () => {
    pairing.hide()
    isChanging = false
    show(shown)
    if (shown === undefined) void giveUp()
  })
  on.hidden = true
  form.show()

  function open(): void {
    if (shown === undefined && ending === undefined) form.show()
    if (!element.open) element.showModal()
  }

  return {
    element,
    open,
    take({ settings, rootKey }) {
      open()
      isChanging = true
      show(shown)
      void prepare(settings, rootKey)
    },
    show,
  }
}
