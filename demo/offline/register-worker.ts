/** Not where modules are replaced while the app runs, which must not be kept. */
export const isBuilt = import.meta.hot === undefined

/** Under this name the worker is served: as it was built, or else as its source. */
const workerFile = isBuilt ? 'chat-worker.js' : 'chat-worker.ts'

/** The Service Workers of this page; absent on plain http. */
export const serviceWorkers = (): ServiceWorkerContainer | undefined =>
  (navigator as Partial<Pick<Navigator, 'serviceWorker'>>).serviceWorker

/** Has the app's Service Worker serve this page. Doing it again is fine. */
export const registerWorker = (container: ServiceWorkerContainer): Promise<ServiceWorkerRegistration> =>
  container.register(new URL(workerFile, document.baseURI), { type: 'module', updateViaCache: 'none' })
