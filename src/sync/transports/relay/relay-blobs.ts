import type { BlobTransport } from '../../link.ts'
import { fingerprint, safePart } from './relay-file.ts'
import type { RelayStore } from './relay-store.ts'

/**
 * Large content in a relay, as `<namespace>/blobs/<hash>.<size>.<hash of the file's content>`: the content may be
 * encrypted, so that it does not match the hash in its name, and a file that a crash has cut off has its full name.
 */
export function relayBlobs(store: RelayStore): BlobTransport {
  /** One listing serves all blobs that are requested at once. */
  const looks = new Map<string, Promise<readonly string[]>>()
  /** The last listing, by folder: blobs are not removed, so that most need no other listing. */
  const seen = new Map<string, readonly string[]>()
  const look = (folder: string): Promise<readonly string[]> => {
    const found = looks.get(folder) ?? store.list(folder).finally(() => looks.delete(folder))
    looks.set(folder, found)
    return found
  }
  const prefixOf = (namespace: string, hash: string): string => `${folderOf(namespace)}${hash}.`
  const readWhole = async (paths: readonly string[], prefix: string): Promise<Uint8Array<ArrayBuffer> | undefined> => {
    for (const path of paths) {
      if (!path.startsWith(prefix)) continue
      const bytes = await store.get(path)
      if (bytes !== undefined && path === prefix + fingerprint(bytes)) return bytes
    }
    return undefined
  }
  const find = async (namespace: string, hash: string): Promise<Uint8Array<ArrayBuffer> | undefined> => {
    const folder = folderOf(namespace)
    const prefix = prefixOf(namespace, hash)
    const found = await readWhole(seen.get(folder) ?? [], prefix)
    if (found !== undefined) return found
    const paths = await look(folder)
    seen.set(folder, paths)
    return readWhole(paths, prefix)
  }

  return {
    hasBlob: async (namespace, hash) => (await find(namespace, hash)) !== undefined,
    putBlob: async (namespace, hash, blob) => {
      const bytes = new Uint8Array(await blob.arrayBuffer())
      await store.put(prefixOf(namespace, hash) + fingerprint(bytes), bytes)
    },
    getBlob: async (namespace, hash) => {
      const bytes = await find(namespace, hash)
      return bytes && new Blob([bytes])
    },
  }
}

const folderOf = (namespace: string): string => `${safePart(namespace)}/blobs/`
