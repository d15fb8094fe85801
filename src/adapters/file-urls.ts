import { SessionError } from '../contract/errors.ts'
import type { Blobs } from '../contract/store/blob-store.ts'
import { fromBase64, toBase64 } from '../domain/base64.ts'

/** How a stored message names a file of the store. */
const stored = /^blob:([0-9a-f]{64})$/

/** The files of a chat: in the store as blobs, on the page as object URLs, for a model as data URLs. */
export interface FileUrls {
  /**
   * Stores the bytes of a file; gives the URL that its message is stored with. URLs of the network stay as they are.
   * @throws InvalidInput for an object URL that has ended, of a file that the store does not have
   */
  store(url: string): Promise<string>
  /** The URL by which a page shows a file that was stored. It stays as it is when this device does not have the file. */
  show(url: string): Promise<string>
  /** The URL by which a model gets a file that the page shows. @param mediaType - default: what it was stored with */
  send(url: string, mediaType?: string): Promise<string>
  /** Ends the object URLs. */
  revoke(): void
}

/**
 * The stored URLs of object URLs, by these. It outlives the handles and the object URLs: a chat may still have the URL
 * of a handle that was closed, and its message is stored with the file, not with that URL.
 */
const names = new Map<string, string>()

export function createFileUrls(blobs: Blobs): FileUrls {
  /** Object URLs by stored URL. */
  const shown = new Map<string, string>()

  const isStored = async (url: string): Promise<boolean> => {
    const hash = stored.exec(url)?.[1]
    return hash !== undefined && (await blobs.getBlob(hash)) !== undefined
  }
  return {
    store: async (url) => {
      const name = names.get(url)
      if (name !== undefined && (await isStored(name))) return name
      const blob = url.startsWith('blob:') && !stored.test(url) ? await readObjectUrl(url) : blobOf(url)
      return blob === undefined ? url : `blob:${await blobs.putBlob(blob)}`
    },
    show: async (url) => {
      const hash = stored.exec(url)?.[1]
      const blob = hash === undefined || shown.has(url) ? undefined : await blobs.getBlob(hash)
      if (blob !== undefined && !shown.has(url)) {
        const made = URL.createObjectURL(blob)
        shown.set(url, made)
        names.set(made, url)
      }
      return shown.get(url) ?? url
    },
    send: async (url, mediaType) => {
      const hash = stored.exec(names.get(url) ?? url)?.[1]
      const blob = hash === undefined ? undefined : await blobs.getBlob(hash)
      if (blob === undefined) return url
      return `data:${mediaType ?? blob.type};base64,${toBase64(new Uint8Array(await blob.arrayBuffer()))}`
    },
    revoke: () => {
      for (const url of shown.values()) URL.revokeObjectURL(url)
      shown.clear()
    },
  }
}

async function readObjectUrl(url: string): Promise<Blob> {
  try {
    return await (await fetch(url)).blob()
  } catch (cause) {
    throw new SessionError(
      'InvalidInput',
      `A message has a file with the URL ${url}, which can't be read: it was revoked, belongs to another page, or ` +
        'the content security policy of the page does not allow blob: in connect-src. Give the file as a data URL instead.',
      { cause },
    )
  }
}

/** The bytes of a data URL; `undefined` when it is none, or has no bytes that can be read. */
function blobOf(url: string): Blob | undefined {
  const [, type, encoding, text] = /^data:([^,]*?)(;base64)?,(.*)$/s.exec(url) ?? []
  if (text === undefined) return undefined
  try {
    const bytes = text
      .replace(/[^\x20-\x7e]+/g, encodeURIComponent)
      .replace(/%([0-9a-f]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))
    const content = encoding === undefined ? Uint8Array.from(bytes, (byte) => byte.charCodeAt(0)) : fromBase64(bytes)
    return new Blob([content], { type: type || 'text/plain' })
  } catch {
    // It is bad base64, or half a character. The message is stored with the URL as it is.
    return undefined
  }
}
