import type { SessionClient } from '../client/client-contract.ts'
import { loadInlineWorker } from '../client/worker/inline-worker.ts'
import { settingsOf } from '../sync/settings-of.ts'
import type { TransportChoice } from '../sync/sync-protocol.ts'
import type { StartEngine } from './sync-engine.ts'
import type { OpenSyncOptions } from './sync-types.ts'

/** Starts sync in the best place there is: a worker by its URL, a worker without a file, this page. */
export function engineStarter(client: SessionClient, options: Omit<OpenSyncOptions, 'keys' | 'paused'>): StartEngine {
  const { transport, token, encryption, mirror = true, namespace, worker } = options
  const settings = settingsOf(options)
  const inPage: StartEngine = async (given) => {
    const { startPageEngine } = await import('./page-engine.ts')
    const made =
      typeof transport === 'function'
        ? await transport()
        : (await import('../sync/choose-transport.ts')).chooseTransport(
            choiceOf(transport),
            async () => (await token?.()) ?? '',
          )
    return startPageEngine({ ...settings, ...given, client, namespace, transport: made })
  }
  if (typeof transport === 'function') return inPage
  return async ({ onSnapshot, onPresence, ...given }) => {
    const { mode } = await client.upkeep.health()
    // A worker would not see a store that is in the page.
    if (mode !== 'worker' && mode !== 'inline-worker') return inPage({ ...given, onSnapshot, onPresence })
    const { startWorkerEngine } = await import('./worker-engine.ts')
    const makers = [async () => worker ?? makeSyncWorker, () => loadInlineWorker('sync')]
    for (const load of makers) {
      try {
        const make = await load()
        const request = {
          ...settings,
          ...given,
          name: client.name,
          namespace,
          mirror,
          encryption,
          transport: choiceOf(transport),
        }
        return await startWorkerEngine(make(), { request, token, onSnapshot, onPresence })
      } catch {
        // Blocked, missing or broken: the next candidate needs less.
      }
    }
    return inPage({ ...given, onSnapshot, onPresence })
  }
}

function choiceOf(transport: Exclude<OpenSyncOptions['transport'], () => unknown>): TransportChoice {
  return transport.kind === 'port' ? { kind: 'port', port: transport.open() } : transport
}

/** Bundlers look for workers in this form. */
const makeSyncWorker = (): Worker =>
  new Worker(new URL('../../worker/sync.worker.ts', import.meta.url), { type: 'module', name: 'keepsession-sync' })
