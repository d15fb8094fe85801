import { expect, it, onTestFinished } from 'vitest'
import { directoryRelay } from '../../src/sync/transports/relay/directory-relay.ts'
import { hasOpfs, needsOpfs } from '../support/opfs.ts'

it.runIf(hasOpfs)(`keeps the files of a relay in a directory${needsOpfs}`, async () => {
  const root = await navigator.storage.getDirectory()
  const name = `relay ${Math.random()}`
  const store = directoryRelay(await root.getDirectoryHandle(name, { create: true }))
  onTestFinished(() => root.removeEntry(name, { recursive: true }))
  expect(await store.list('n/s/1/')).toEqual([])
  expect(await store.get('n/s/1/a')).toBeUndefined()
  await store.put('n/s/1/a', new Uint8Array([1, 2]))
  await store.put('n/s/1/a', new Uint8Array([1, 2]))
  await store.put('n/s/1/b', new Uint8Array([3]))
  await store.put('n/s/2/c', new Uint8Array([4]))
  expect([...(await store.list('n/s/1/'))].sort()).toEqual(['n/s/1/a', 'n/s/1/b'])
  expect(await store.get('n/s/1/a')).toEqual(new Uint8Array([1, 2]))
  await store.remove('n/s/1/a')
  await store.remove('n/s/1/a')
  expect(await store.list('n/s/1/')).toEqual(['n/s/1/b'])
})
