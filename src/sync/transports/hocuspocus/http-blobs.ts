import { SessionError } from '../../../contract/errors.ts'
import type { BlobTransport } from '../../link.ts'

/** Longest wait for an answer without a byte of it, in milliseconds. */
const patience = 120_000

/** Large content over HTTP, on the port of the WebSocket: `HEAD`, `PUT` and `GET` of `/blobs/<namespace>/<sha256>`. */
export function httpBlobs(url: string, token: () => Promise<string> | string): BlobTransport {
  const base = url.replace(/^ws/, 'http').replace(/\/+$/, '')

  const ask = async (namespace: string, hash: string, method: 'HEAD' | 'GET' | 'PUT', body: Blob | null = null): Promise<Response> => {
    const headers = { Authorization: `Bearer ${await token()}` }
    return fetch(`${base}/blobs/${encodeURIComponent(namespace)}/${hash}`, { method, headers, body, ...(method === 'HEAD' && { cache: 'no-store' }), signal: AbortSignal.timeout(patience) })
  }
  const refuse = async (response: Response, task: string): Promise<never> => {
    const said = (await response.text().catch(() => '')).slice(0, 200)
    const name = response.status === 401 || response.status === 403 ? 'AccessDenied' : response.status === 413 ? 'TooLarge' : 'StorageUnavailable'
    throw new SessionError(name, `${task} failed: the server answered ${response.status} ${said}.`)
  }

  return {
    // A refusal is told by what is asked next.
    hasBlob: async (namespace, hash) => (await ask(namespace, hash, 'HEAD')).ok,
    putBlob: async (namespace, hash, bytes) => {
      const response = await ask(namespace, hash, 'PUT', bytes)
      if (!response.ok) await refuse(response, `Sending the blob ${hash}`)
    },
    getBlob: async (namespace, hash) => {
      const response = await ask(namespace, hash, 'GET')
      if (response.status === 404) return undefined
      return response.ok ? response.blob() : refuse(response, `Fetching the blob ${hash}`)
    },
  }
}
