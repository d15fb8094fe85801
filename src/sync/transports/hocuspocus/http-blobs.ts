import { SessionError } from '../../../contract/errors.ts'
import type { BlobTransport } from '../../link.ts'
import { createSilenceLimit, type SilenceLimit } from './silence-limit.ts'

/** The longest wait without a byte, in milliseconds; also for the token. */
const patience = 120_000
/** The progress of an upload is not reported. In bytes per millisecond, what the worst of connections carries. */
const slowest = 4

/** Large content over HTTP, on the port of the WebSocket: `HEAD`, `PUT` and `GET` of `/blobs/<namespace>/<sha256>`. */
export function httpBlobs(url: string, token: () => Promise<string> | string): BlobTransport {
  const base = url.replace(/^ws/, 'http').replace(/\/+$/, '')

  /** @param take - reads the answer, as far as it is needed */
  const ask = async <T>(
    namespace: string,
    hash: string,
    method: 'HEAD' | 'GET' | 'PUT',
    take: (response: Response, limit: SilenceLimit) => Promise<T> | T,
    body: Blob | null = null,
  ): Promise<T> => {
    const headers = { Authorization: `Bearer ${await tokenInTime(token)}` }
    const limit = createSilenceLimit(patience + (body?.size ?? 0) / slowest)
    try {
      const response = await fetch(`${base}/blobs/${encodeURIComponent(namespace)}/${hash}`, {
        method,
        headers,
        body,
        ...(method === 'HEAD' && { cache: 'no-store' }),
        signal: limit.signal,
      })
      limit.received()
      return await take(response, limit)
    } finally {
      limit.over()
    }
  }
  const refuse = async (response: Response, task: string): Promise<never> => {
    const said = (await response.text().catch(() => '')).slice(0, 200)
    const name =
      response.status === 401 || response.status === 403
        ? 'AccessDenied'
        : response.status === 413
          ? 'TooLarge'
          : 'StorageUnavailable'
    throw new SessionError(name, `${task} failed: the server answered ${response.status} ${said}.`)
  }

  return {
    // A refusal is reported by the next request.
    hasBlob: (namespace, hash) => ask(namespace, hash, 'HEAD', ({ ok }) => ok),
    putBlob: (namespace, hash, bytes) =>
      ask(
        namespace,
        hash,
        'PUT',
        async (response) => {
          if (!response.ok) await refuse(response, `Sending the blob ${hash}`)
        },
        bytes,
      ),
    getBlob: (namespace, hash) =>
      ask(namespace, hash, 'GET', (response, limit) => {
        if (response.status === 404) return undefined
        return response.ok ? wholeOf(response, limit) : refuse(response, `Fetching the blob ${hash}`)
      }),
  }
}

/** The browser assembles it, on disk if it is large. */
function wholeOf({ body, headers }: Response, { received }: SilenceLimit): Promise<Blob> {
  const listening = new TransformStream<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>>({
    transform: (chunk, controller) => {
      received()
      controller.enqueue(chunk)
    },
  })
  return new Response(body?.pipeThrough(listening), { headers }).blob()
}

async function tokenInTime(token: () => Promise<string> | string): Promise<string> {
  const limit = createSilenceLimit(patience)
  const late = new Promise<never>((_, reject) => {
    limit.signal.addEventListener('abort', () =>
      reject(
        new SessionError('StorageUnavailable', `The token for attachments did not arrive within ${patience / 1000} s.`),
      ),
    )
  })
  try {
    return await Promise.race([token(), late])
  } finally {
    limit.over()
  }
}
