import { readFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { extname, join, normalize } from 'node:path'

const TYPES: Readonly<Record<string, string>> = {
  '.css': 'text/css',
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript',
  '.json': 'application/json',
  '.webmanifest': 'application/manifest+json',
}

export interface Served {
  /** The origin, without a slash at its end. */
  readonly url: string
  close(): Promise<void>
}

/**
 * Serves a folder on a free port of this machine, as a plain web server would.
 *
 * @param headers - sent with every file, such as a Content-Security-Policy
 */
export async function serve(folder: string, headers: Readonly<Record<string, string>> = {}): Promise<Served> {
  const server = createServer(async (request, response) => {
    const path = normalize(decodeURIComponent(new URL(request.url ?? '/', 'http://localhost').pathname))
    const file = join(folder, path.endsWith('/') ? `${path}index.html` : path)
    try {
      const body = await readFile(file)
      response
        .writeHead(200, { 'content-type': TYPES[extname(file)] ?? 'application/octet-stream', ...headers })
        .end(body)
    } catch {
      response.writeHead(404, headers).end()
    }
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}
