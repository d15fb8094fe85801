import { createChatHandler } from '../../../../src/chat.ts'
import { openDirectStore } from '../../../../src/direct.ts'
import { scriptedOptions } from './scripted-chat.ts'

/**
 * What a Service Worker has that a page hasn't. The types of both contradict each other, and the store knows the
 * page's.
 */
interface ServiceWorker extends EventTarget {
  readonly clients: { claim(): Promise<void> }
  skipWaiting(): Promise<void>
}
interface LifeEvent extends Event {
  waitUntil(work: Promise<unknown>): void
}
interface FetchEvent extends LifeEvent {
  readonly request: Request
  respondWith(response: Promise<Response>): void
}
const worker = self as unknown as ServiceWorker

const opening = openDirectStore({ name: 'chat', modes: ['in-page'] })
const handling = opening.then((client) => createChatHandler(client.store, { ...scriptedOptions(), name: 'chat' }))

worker.addEventListener('install', () => void worker.skipWaiting())
worker.addEventListener('activate', (event) => (event as LifeEvent).waitUntil(worker.clients.claim()))
worker.addEventListener('fetch', (event) => {
  const { request } = event as FetchEvent
  const { pathname } = new URL(request.url)
  if (pathname === '/reset') (event as FetchEvent).respondWith(reset())
  else if (pathname === '/api' || pathname.startsWith('/api/'))
    (event as FetchEvent).respondWith(handling.then((handle) => handle(request, event as FetchEvent)))
})

/** Takes away all sessions, deleted ones too. */
async function reset(): Promise<Response> {
  const client = await opening
  for (const deleted of [false, true])
    for (const { key } of (await client.listSessions({ deleted, limit: 10_000 })).sessions) await client.purge(key)
  return new Response(null, { status: 204 })
}
