import type { Encryption, SessionClient } from '../../src/index.ts'
import { createPanel, panelSection } from '../ui/panel.ts'
import type { Toasts } from '../ui/toasts.ts'
import { createCheckView } from './check-view.ts'
import { createEncryptionView } from './encryption-view.ts'
import { createPersistView } from './persist-view.ts'
import { createRetentionView } from './retention-view.ts'
import { createUsageView } from './usage-view.ts'

export interface StoragePanelOptions {
  readonly client: SessionClient
  readonly toasts: Toasts
  readonly onEncryption: (encryption: Encryption | undefined) => void
}

export interface StoragePanel {
  readonly element: HTMLDialogElement
  open(): void
}

/** What is kept on this device, how safely, and for how long. */
export function createStoragePanel({ client, toasts, onEncryption }: StoragePanelOptions): StoragePanel {
  const usage = createUsageView(client)
  const persist = createPersistView(client)
  const refresh = (): void =>
    void Promise.all([usage.refresh(), persist.refresh()]).catch((error: unknown) =>
      toasts.fail('The storage use could not be read', error),
    )
  const element = createPanel(
    'storage',
    'Storage',
    panelSection('Usage', usage.element),
    panelSection('Persistence', persist.element),
    panelSection('Retention', createRetentionView(client, refresh)),
    panelSection('Integrity', createCheckView(client, refresh)),
    panelSection('Encryption', createEncryptionView(client, onEncryption)),
  )
  return {
    element,
    open() {
      element.showModal()
      refresh()
    },
  }
}
