import { expect } from 'vitest'
import { refuses } from '../helpers.ts'
import { type Laws, needs } from '../law.ts'

export const blobLaws: Laws = {
  'L4: returns the bytes that were stored': needs(['putBlob'], async ({ store }) => {
    const bytes = new Uint8Array(70_000).map((_, i) => i % 251)
    const hash = await store.putBlob(new Blob([bytes], { type: 'image/png' }))
    const blob = await store.getBlob(hash)
    expect([blob?.size, blob?.type]).toEqual([70_000, 'image/png'])
    expect(new Uint8Array(await blob!.arrayBuffer())).toEqual(bytes)
  }),

  'L4: names bytes by their SHA-256': needs(['putBlob'], async ({ store }) => {
    expect(await store.putBlob(new Blob(['abc']))).toBe(
      'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad',
    )
    expect(await store.putBlob(new Blob([]))).toBe('e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855')
    expect((await store.getBlob('e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855'))?.size).toBe(0)
  }),

  'L8: keeps the same bytes once': needs(['putBlob'], async ({ store }) => {
    const first = await store.putBlob(new Blob(['x'.repeat(1_000)]))
    expect(await store.putBlob(new Blob(['x'.repeat(1_000)]))).toBe(first)
    expect((await store.usage()).blobBytes).toBe(1_000)
  }),

  'L7: knows nothing about bytes it was never given': async ({ store }) => {
    expect(await store.getBlob('0'.repeat(64))).toBeUndefined()
    expect(await store.getBlob('')).toBeUndefined()
  },

  'L14: refuses a value that is not a blob': needs(['putBlob'], async ({ store }) => {
    for (const blob of ['text', null, undefined, {}, new Uint8Array(3)])
      await refuses(store.putBlob(blob as never), 'InvalidInput')
  }),

  'L1: has the bytes when it is opened again': needs(['putBlob', 'reopen'], async ({ store, reopen }) => {
    const hash = await store.putBlob(new Blob(['kept']))
    await store.close()
    expect(await (await (await reopen()).getBlob(hash))?.text()).toBe('kept')
  }),
}
