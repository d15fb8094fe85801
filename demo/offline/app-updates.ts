import type { Toasts } from '../ui/toasts.ts'
import { registerWorker, serviceWorkers } from './register-worker.ts'
import type { TakeOverMessage } from './take-over.ts'

/** How often a page that stays open asks for a new version. */
const everyMs = 3_600_000
/** Until somebody answers: the longest that a timer can wait. */
const forGood = 2 ** 31 - 1

export interface AppUpdates {
  /** Keeps the app for times without a network, and offers new versions as they come. */
  follow(): Promise<void>
  /** Asks whether there is a new version. */
  look(): Promise<void>
}

/** Never replaces a version under a page that runs it: the user says when. */
export function createAppUpdates(toasts: Toasts): AppUpdates {
  let registration: ServiceWorkerRegistration | undefined
  let lookedAt = Date.now()
  let isOffered = false
  let isAsked = false

  function offer(): void {
    if (isOffered) return
    isOffered = true
    const run = (): void => {
      isAsked = true
      // By now it may be a newer one still, or another tab was faster.
      const waiting = registration?.waiting
      if (waiting) waiting.postMessage({ type: 'take-over' } satisfies TakeOverMessage)
      else location.reload()
    }
    toasts.show({
      text: 'A new version of this app is ready.',
      shownMs: forGood,
      action: { label: 'Update', testId: 'update', run },
    })
  }

  function offerReload(): void {
    toasts.show({
      text: 'This app was updated in another tab.',
      shownMs: forGood,
      action: { label: 'Reload', testId: 'reload', run: () => location.reload() },
    })
  }

  function watch(installing: ServiceWorker | null, container: ServiceWorkerContainer): void {
    installing?.addEventListener('statechange', () => {
      // The first version has nobody to wait for.
      if (installing.state === 'installed' && container.controller !== null) offer()
    })
  }

  async function look(): Promise<void> {
    lookedAt = Date.now()
    // Without a network there is none to be had.
    await registration?.update().catch(() => undefined)
  }

  return {
    look,
    async follow() {
      const container = serviceWorkers()
      if (container === undefined) return
      let isServed = container.controller !== null
      container.addEventListener('controllerchange', () => {
        if (isAsked) location.reload()
        else if (isServed) offerReload()
        isServed = true
      })
      const found = await registerWorker(container)
      registration = found
      found.addEventListener('updatefound', () => watch(found.installing, container))
      watch(found.installing, container)
      if (found.waiting !== null && container.controller !== null) offer()
      const lookAgain = (): void =>
        void (document.visibilityState === 'visible' && Date.now() - lookedAt >= everyMs && look())
      document.addEventListener('visibilitychange', lookAgain)
      setInterval(lookAgain, everyMs)
    },
  }
}
