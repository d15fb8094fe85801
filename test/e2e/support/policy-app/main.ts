// An app of somebody who has a content security policy. What the README says about them is done here.
import { openSessionStore } from '../../../../src/index.ts'
import workerUrl from '../../../../worker/session.worker.ts?worker&url'

/** What the tests call. */
export interface PolicyWindow {
  /** Opens the store, writes, looks, searches and checks. */
  use(
    how: 'plain' | 'own-worker',
  ): Promise<{
    readonly mode: string
    readonly skipped: readonly { readonly mode: string; readonly reason: string }[]
    readonly found: number
    readonly problems: number
    readonly history: number
  }>
}

interface TrustedTypes {
  createPolicy(name: string, rules: { createScriptURL(url: string): string }): { createScriptURL(url: string): string }
}
const { trustedTypes } = globalThis as { readonly trustedTypes?: TrustedTypes }

/** Scripts of this origin, and no others. */
const rules = {
  createScriptURL: (url: string): string => {
    if (new URL(url, location.href).origin === location.origin) return url
    throw new TypeError(`${url} is not ours.`)
  },
}
if (location.search === '?default-policy') trustedTypes?.createPolicy('default', rules)

const use: PolicyWindow['use'] = async (how) => {
  const makeWorker = (): Worker =>
    new Worker(trustedTypes?.createPolicy('app', rules).createScriptURL(workerUrl) ?? workerUrl, { type: 'module' })
  const client = await openSessionStore({ name: 'policy', ...(how === 'own-worker' ? { worker: makeWorker } : {}) })
  await client.store.addMessage('k', 'user', 'Why is the sky blue?')
  const { mode, skipped } = await client.upkeep.health()
  const hits = await client.search('sky')
  const { problems } = await client.store.verify()
  const history = await client.store.getHistory('k')
  await client.close()
  return { mode, skipped, found: hits.length, problems: problems.length, history: history.length }
}
Object.assign(window, { use } satisfies PolicyWindow)
