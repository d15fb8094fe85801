/**
 * What a Service Worker has that a page hasn't. The types of both contradict each other, and the store knows the
 * page's.
 */
export interface ServiceWorkerScope extends EventTarget {
  readonly registration: { readonly scope: string }
  readonly clients: { claim(): Promise<void> }
  skipWaiting(): Promise<void>
}

export interface LifeEvent extends Event {
  waitUntil(work: Promise<unknown>): void
}

export interface FetchEvent extends LifeEvent {
  readonly request: Request
  respondWith(response: Promise<Response>): void
}
