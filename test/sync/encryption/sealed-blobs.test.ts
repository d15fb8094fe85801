import { expect, it } from 'vitest'
import { sha256 } from '../../../src/domain/sha256.ts'
import { drawRootKey } from '../../../src/sync/encryption/root-key.ts'
import { sealedBlobs } from '../../../src/sync/encryption/sealed-blobs.ts'
import { openSyncKeys } from '../../../src/sync/encryption/sync-keys.ts'
import type { BlobTransport } from '../../../src/sync/link.ts'

const text = 'a picture of a zebra '.repeat(1000)
const hash = sha256([text])

function shelf(): { readonly held: Map<string, Blob>; readonly blobs: BlobTransport } {
  const held = new Map<string, Blob>()
  return {
    held,
    blobs: {
      hasBlob: (_, name) => Promise.resolve(held.has(name)),
      putBlob: (_, name, bytes) => Promise.resolve(void held.set(name, bytes)),
      getBlob: (_, name) => Promise.resolve(held.get(name)),
    },
  }
}

it('A sealed blob comes back on a device with the same key, and shows neither content nor hash', async () => {
  const { held, blobs } = shelf()
  const rootKey = drawRootKey()
  const keys = await openSyncKeys(rootKey, 'ns')
  await sealedBlobs(keys, blobs).putBlob('ns', hash, new Blob([text]))
  const [[name, bytes]] = [...held] as [[string, Blob]]
  expect(name).toMatch(/^sealed-[0-9a-f]{64}$/)
  expect(name).not.toBe(hash)
  expect(bytes.size).toBe(text.length + 28)
  expect(await bytes.text()).not.toContain('zebra')
  const other = sealedBlobs(await openSyncKeys(rootKey, 'ns'), blobs)
  expect(await (await other.getBlob('ns', hash))?.text()).toBe(text)
  expect(await other.getBlob('ns', sha256(['x']))).toBeUndefined()
  expect([await other.hasBlob('ns', hash), await other.hasBlob('ns', sha256(['x']))]).toEqual([true, false])
})

it('A sealed blob that was changed, or put under another name, counts as not there', async () => {
  const { held, blobs } = shelf()
  const keys = await openSyncKeys(drawRootKey(), 'ns')
  const sealed = sealedBlobs(keys, blobs)
  await sealed.putBlob('ns', hash, new Blob([text]))
  await sealed.putBlob('ns', sha256(['x']), new Blob(['x']))
  const [first, second] = [...held.keys()] as [string, string]
  held.set(second, held.get(first)!)
  expect(await sealed.getBlob('ns', sha256(['x']))).toBeUndefined()
  held.set(first, new Blob([(await held.get(first)!.arrayBuffer()).slice(1)]))
  expect(await sealed.getBlob('ns', hash)).toBeUndefined()
})

it('A sealed blob that is not what its hash says counts as not there', async () => {
  const { blobs } = shelf()
  const sealed = sealedBlobs(await openSyncKeys(drawRootKey(), 'ns'), blobs)
  await sealed.putBlob('ns', hash, new Blob(['something else']))
  expect(await sealed.getBlob('ns', hash)).toBeUndefined()
})
