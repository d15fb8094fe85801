import type { SessionClient, StoreHealth } from '../../src/index.ts'
import type { AppUpdates } from '../offline/app-updates.ts'
import { isKeptOffline } from '../offline/is-kept-offline.ts'
import { dataSize } from '../storage/data-size.ts'
import { persistAnswers } from '../storage/persist-view.ts'
import { h } from '../ui/dom.ts'
import { bytes, counted } from '../ui/format.ts'
import { icon } from '../ui/icons.ts'
import type { Toasts } from '../ui/toasts.ts'

const refreshMs = 20_000
/** Changes come in bursts; the figures need not follow each. */
const settleMs = 1500

const places: Readonly<Record<StoreHealth['mode'], string>> = {
  worker: 'Saved in this browser',
  'inline-worker': 'Saved in this browser',
  'in-page': 'Saved in this browser',
  'web-storage': 'Saved in Web Storage',
  memory: 'In memory only, not saved',
}

const modes: Readonly<Record<StoreHealth['mode'], string>> = {
  worker: 'IndexedDB, in a worker',
  'inline-worker': 'IndexedDB, in an inline worker',
  'in-page': 'IndexedDB, in the page',
  'web-storage': 'Web Storage, a few megabytes',
  memory: 'memory',
}

export interface StatusLine {
  readonly element: HTMLElement
  /** Across the window, when nothing would be kept. */
  readonly warning: HTMLElement
}

/** Says where conversations are kept, and how safe they are there. */
export function createStatusLine(client: SessionClient, toasts: Toasts, updates: Pick<AppUpdates, 'look'>): StatusLine {
  const place = h('span', { class: 'status-place' })
  const size = h('span', { class: 'status-size' })
  const figures = h('dl', { class: 'status-figures' })
  const persist = h(
    'button',
    { type: 'button', class: 'button', 'data-testid': 'persist', hidden: true, onclick: () => void keepForGood() },
    'Ask the browser to keep this data',
  )
  const element = h(
    'details',
    { class: 'status', 'data-testid': 'status' },
    h('summary', {}, h('span', { class: 'status-dot' }), place, size),
    figures,
    persist,
  )
  const warning = h('div', { class: 'warning', role: 'alert', 'data-testid': 'warning', hidden: true })
  let timer: ReturnType<typeof setTimeout> | undefined
  let isMeasured = false

  async function refresh(): Promise<void> {
    clearTimeout(timer)
    timer = setTimeout(() => void refresh(), refreshMs)
    try {
      const health = await client.upkeep.health()
      show(health)
      if (!isMeasured) await measure(health)
    } catch (error) {
      toasts.fail('The storage status could not be read', error)
    }
  }

  function show(health: StoreHealth): void {
    element.dataset['mode'] = health.mode
    element.dataset['durable'] = String(health.durable)
    place.textContent = navigator.onLine ? places[health.mode] : `${places[health.mode]} · offline`
    figures.replaceChildren(...rows(health).flatMap(([name, value]) => [h('dt', {}, name), h('dd', {}, value)]))
    persist.hidden = !health.durable || health.persisted !== false
    warning.hidden = health.durable
    if (!health.durable)
      warning.replaceChildren(
        icon('alert'),
        h(
          'p',
          {},
          `Conversations will be gone when this tab closes: the browser does not let this site store anything${reason(health)}.`,
        ),
      )
  }

  /** Counts what is stored, which takes a worker some work: only after changes, and while somebody can see it. */
  async function measure({ durable }: StoreHealth): Promise<void> {
    if (document.hidden) return
    isMeasured = true
    size.textContent = durable ? bytes(dataSize(await client.upkeep.usage({ largest: 0 }))) : ''
  }

  async function keepForGood(): Promise<void> {
    persist.disabled = true
    toasts.show({ text: persistAnswers[await client.upkeep.persist()] })
    persist.disabled = false
    await refresh()
  }

  /** Newer code has the database: what runs here can only make way for it. */
  function offerReload(message: string): void {
    void updates.look()
    toasts.show({
      text: message,
      tone: 'warning',
      shownMs: 2 ** 31 - 1,
      action: { label: 'Reload', testId: 'reload', run: () => location.reload() },
    })
  }

  addEventListener('online', () => void refresh())
  addEventListener('offline', () => void refresh())
  client.subscribe((change) => {
    if (change.type === 'notice') {
      if (change.name === 'upgradeRequired') offerReload(change.message)
      else toasts.show({ text: change.message, tone: 'warning', shownMs: 15_000 })
      void refresh()
    } else if (change.type === 'session') {
      isMeasured = false
      clearTimeout(timer)
      timer = setTimeout(() => void refresh(), settleMs)
    }
  })
  void refresh()
  return { element, warning }
}

function rows({
  mode,
  durable,
  name,
  originBytes,
  quotaBytes,
  persisted,
  restarts,
  skipped,
}: StoreHealth): readonly (readonly [string, string])[] {
  const used =
    originBytes === undefined
      ? 'unknown'
      : quotaBytes === undefined
        ? bytes(originBytes)
        : `${bytes(originBytes)} of ${bytes(quotaBytes)}`
  const eviction =
    persisted === undefined ? 'unknown' : persisted ? 'only by you' : 'by the browser, when space runs low'
  const kept = [
    ['Browser’s estimate', used],
    ['Can be deleted', eviction],
  ] as const
  return [
    ['Mode', modes[mode]],
    ['Database', name],
    ...(durable ? kept : []),
    ['Offline use', isKeptOffline() ? 'available' : 'not available'],
    ...(restarts > 0 ? ([['Worker', `restarted ${counted(restarts, 'time')}`]] as const) : []),
    ...skipped.map((tried) => [`Not ${tried.mode}`, tried.reason] as const),
  ]
}

function reason({ skipped }: StoreHealth): string {
  const last = skipped.at(-1)?.reason.replace(/\.$/, '')
  return last === undefined || last === '' ? '' : ` (${last})`
}
