import type { AppVersion } from './app-version.ts'

const prefix = 'keepsession-demo:'
/** Names that change with what they stand for, so that a file that is kept under one is the file. */
const hashed = /^assets\//

/** Keeps one version of the app, so that it starts without a network, and is never put together from files of two. */
export interface AppCache {
  /** Fetches what makes up the version: all of it, or it rejects. */
  fill(): Promise<void>
  /** Lets go of old versions. The one before stays: a page that still runs it may load a part of it later. */
  tidy(): Promise<void>
  /** What answers a request for a part of the app; `undefined` for anything else. */
  answer(request: Request): Promise<Response> | undefined
}

/** @param scope - address below which the app is */
export function createAppCache({ version, files }: AppVersion, scope: string): AppCache {
  const name = prefix + version
  const home = new URL('index.html', scope).href

  async function keep(cache: Cache, file: string): Promise<void> {
    const url = new URL(file, scope).href
    const known = hashed.test(file) ? await caches.match(url) : undefined
    // Past the browser's own cache, which may have the page of the version before.
    const response = known ?? (await fetch(url, { cache: 'reload' }))
    if (!response.ok) throw new Error(`${file} of the app could not be fetched: the server said ${response.status}.`)
    // What was redirected can't answer a navigation.
    await cache.put(url, response.redirected ? new Response(response.body, { headers: response.headers }) : response)
  }

  async function find(request: Request): Promise<Response> {
    const cache = await caches.open(name)
    const wanted = request.mode === 'navigate' ? home : request.url
    return (await cache.match(wanted)) ?? (await caches.match(wanted)) ?? fetch(request)
  }

  return {
    fill: async () => {
      const cache = await caches.open(name)
      await Promise.all(files.map((file) => keep(cache, file)))
    },
    tidy: async () => {
      // In the order in which they were made.
      const others = (await caches.keys()).filter((one) => one.startsWith(prefix) && one !== name)
      await Promise.all(others.slice(0, -1).map((one) => caches.delete(one)))
    },
    answer: (request) => (request.method === 'GET' && request.url.startsWith(scope) ? find(request) : undefined),
  }
}
