import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'
import type { S3Options } from '../../server/src/options.js'

/** So few keys are listed at once, so that lists have several pages. */
const PAGE = 3

export interface S3Server {
  readonly options: S3Options
  readonly objects: ReadonlyMap<string, Buffer>
  close(): Promise<void>
}

/**
 * Starts the part of S3 that the sync server uses, over HTTP, in memory. It asks for a signature, but not whether it is
 * right.
 *
 * @param refusesConditions - as some services do, which have no `If-None-Match`
 */
export async function startS3({ refusesConditions = false } = {}): Promise<S3Server> {
  const objects = new Map<string, Buffer>()
  const server = createServer(async (request, response) => {
    if (!request.headers.authorization?.startsWith('AWS4-HMAC-SHA256 ')) return void response.writeHead(403).end()
    const url = new URL(request.url ?? '/', 'http://localhost')
    const key = decodeURIComponent(url.pathname).replace(/^\/bucket\/?/, '')
    const body = await buffer(request)
    if (key === '') {
      const prefix = url.searchParams.get('prefix') ?? ''
      const after = url.searchParams.get('continuation-token') ?? ''
      const keys = [...objects.keys()].filter((one) => one.startsWith(prefix) && one > after).sort()
      const page = keys.slice(0, PAGE)
      const more = keys.length > PAGE ? `<NextContinuationToken>${page.at(-1)}</NextContinuationToken>` : ''
      return void response.end(
        `<ListBucketResult>${page.map((one) => `<Contents><Key>${one}</Key></Contents>`).join('')}${more}</ListBucketResult>`,
      )
    }
    if (request.method === 'PUT') {
      const condition = request.headers['if-none-match']
      if (condition !== undefined && refusesConditions) return void response.writeHead(400).end()
      if (condition === '*' && objects.has(key)) return void response.writeHead(412).end()
      objects.set(key, body)
      return void response.end()
    }
    if (request.method === 'DELETE') {
      objects.delete(key)
      return void response.writeHead(204).end()
    }
    const found = objects.get(key)
    if (found === undefined) return void response.writeHead(404).end()
    response.writeHead(200, { 'content-length': found.length }).end(request.method === 'HEAD' ? undefined : found)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    objects,
    options: {
      kind: 's3',
      endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
      bucket: 'bucket',
      accessKeyId: 'key',
      secretAccessKey: 'secret',
      prefix: 'sync/',
    },
    async close() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}
