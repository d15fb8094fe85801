import type { SessionClient } from '../../src/index.ts'
import type { InspectorAction, OpenInspector } from '../../src/inspector.ts'
import type { SyncControl } from '../sync/sync-control.ts'

/**
 * Opens the inspector of the library over this app, or closes it. Its code is loaded the first time.
 *
 * @param actions - what it offers besides
 */
export function createInspectorToggle(
  client: SessionClient,
  sync: SyncControl,
  actions: readonly InspectorAction[],
): () => Promise<void> {
  let opened: OpenInspector | undefined
  let opening: Promise<void> | undefined

  async function open(): Promise<void> {
    const { openInspector } = await import('../../src/inspector.ts')
    opened = openInspector(client, { sync: inspected(sync), mayWrite: true, actions })
  }

  return async () => {
    // Who asked first is told if it can't be opened.
    if (opening !== undefined) return
    if (opened?.element.isConnected) return opened.close()
    opening = open().finally(() => (opening = undefined))
    await opening
  }
}

/** Sync as it is when the inspector is opened; none where it is off. */
function inspected(sync: SyncControl) {
  const first = sync.snapshot()
  if (first === undefined) return undefined
  let newest = first
  return {
    subscribe: sync.subscribe,
    getSnapshot: () => (newest = sync.snapshot() ?? newest),
    pause: sync.pause,
    resume: sync.resume,
  }
}
