// Serves this app and its chat API to its pages without a network: the API by the same handler that could run on a
// server.
import { createMemoManager } from '../src/agently.ts'
import { type ChatHandler, createChatHandler } from '../src/chat.ts'
import { openDirectStore } from '../src/direct.ts'
import type { SessionClient } from '../src/index.ts'
import { type ContextManagerParts, createCompactionManager } from '../src/picoclaw.ts'
import { chatModelOf } from './api/chat-model.ts'
import { type ChatSettings, type ChatSettingsMessage, databaseName } from './api/chat-settings.ts'
import type { FetchEvent, LifeEvent, ServiceWorkerScope } from './api/service-worker.ts'
import { memoSettingsOf, thresholdOf } from './context/context-settings.ts'
import { learn } from './context/learn.ts'
import { summariseWith } from './context/summarise.ts'
import { localModel } from './local-model.ts'
import { chatTools } from './local-tools.ts'
import { openModel } from './model-choice.ts'
import { createAppCache } from './offline/app-cache.ts'
import { appVersion } from './offline/app-version.ts'
import type { TakeOverMessage } from './offline/take-over.ts'

const worker = self as unknown as ServiceWorkerScope
const { scope } = worker.registration
const api = new URL('api/', scope)
const version = appVersion()
const app = version && createAppCache(version, scope)
let opening: Promise<SessionClient> | undefined
let settings: ChatSettings | undefined
let handling: Promise<ChatHandler> | undefined

/** One that could not be opened is tried again with the next request. */
const openStore = (): Promise<SessionClient> =>
  (opening ??= openDirectStore({ name: databaseName, modes: ['in-page'] }).catch((error: unknown) => {
    opening = undefined
    handling = undefined
    throw error
  }))

async function createHandler(): Promise<ChatHandler> {
  const client = await openStore()
  const model = settings === undefined ? localModel : openModel(settings.model, client.blobs, settings.endpoint)
  return createChatHandler(client.store, {
    basePath: api.pathname.slice(0, -1),
    name: databaseName,
    model: chatModelOf(model),
    tools: chatTools(client),
    summarise: summariseWith(model),
    // The window is for what goes out; how long a reply gets is the model's affair.
    maxTokens: 0,
    ...(settings === undefined ? {} : contextOptions(settings)),
    onError: (error) => console.error(error),
  })
}

function contextOptions({ context }: ChatSettings) {
  const { window, mode, keepTurns } = context
  if (mode === 'summary')
    return {
      contextWindow: window,
      contextManager: (parts: ContextManagerParts) =>
        createCompactionManager(parts, { threshold: thresholdOf(context), keepTurns }),
    }
  return {
    contextWindow: window,
    contextManager: createMemoManager({
      memoUpdateHandler: ({ memo, messages }) => learn(memo, messages),
      parentSettings: { session: memoSettingsOf(context) },
    }),
  }
}

// A version that has the whole app waits until the user lets it in: pages run on with the one they began with.
worker.addEventListener('install', (event) =>
  (event as LifeEvent).waitUntil(app === undefined ? worker.skipWaiting() : app.fill()),
)
worker.addEventListener('activate', (event) =>
  (event as LifeEvent).waitUntil(Promise.all([worker.clients.claim(), app?.tidy()])),
)
worker.addEventListener('message', (event) => {
  const { data, ports } = event as MessageEvent<ChatSettingsMessage | TakeOverMessage | null>
  if (data?.type === 'take-over') return void worker.skipWaiting()
  if (data?.type !== 'chat-settings') return
  // A handler queues the runs of a session, so it is kept while it will do.
  if (JSON.stringify(settings) !== JSON.stringify(data.settings)) handling = undefined
  settings = data.settings
  // A page that was loaded past its Service Worker (by a forced reload) asks nobody else.
  ;(event as LifeEvent & MessageEvent).waitUntil(worker.clients.claim().then(() => ports[0]?.postMessage('ready')))
})
worker.addEventListener('fetch', (event) => {
  const { request } = event as FetchEvent
  const answer = request.url.startsWith(api.href)
    ? (handling ??= createHandler()).then((handle) => handle(request, event as FetchEvent))
    : app?.answer(request)
  if (answer !== undefined) (event as FetchEvent).respondWith(answer)
})
