import 'fake-indexeddb/auto'
import { afterAll } from 'vitest'

// Gives a file an IndexedDB of its own under the global names, for code that takes it from there, and takes it away
// when the file is done.
afterAll(() => {
  for (const name of Object.getOwnPropertyNames(globalThis))
    if (/^(indexedDB|IDB\w+)$/.test(name)) Reflect.deleteProperty(globalThis, name)
})
