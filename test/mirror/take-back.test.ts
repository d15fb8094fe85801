import { IDBFactory, IDBKeyRange } from 'fake-indexeddb'
import { expect, it } from 'vitest'
import { keepMirror } from '../../src/mirror/keep-mirror.ts'
import { mirrorCommits } from '../../src/mirror/mirror-commits.ts'
import { mirrorName } from '../../src/mirror/mirror-names.ts'
import { openMirror } from '../../src/mirror/open-mirror.ts'
import { repairStore } from '../../src/storage/check-store.ts'
import { createSessionStore } from '../../src/storage/create-session-store.ts'
import { openIndexedDbBackend } from '../../src/storage/indexeddb/indexeddb-backend.ts'
import { damageFirstInIndexedDb } from '../store/support/damage-first-record.ts'
import { createMemoryFolder } from './support/memory-folder.ts'
import { say, texts } from './support/talk.ts'

const name = 'take-back'

it("gives back on repair what a worker that lives has in its file, when it was stored and can't be read any more", async () => {
  const indexedDB = new IDBFactory()
  const folder = createMemoryFolder()
  const backend = await openIndexedDbBackend({ name, indexedDB, IDBKeyRange })
  const { epoch } = backend
  const living = openMirror({ folder, epoch, boot: 'living' }, () => undefined)
  const mirror = openMirror({ folder, epoch, boot: 'jobs' }, () => undefined)
  const store = createSessionStore(backend)
  await say(createSessionStore(mirrorCommits(backend, living)), 'a', 'one', 'two', 'three')
  await damageFirstInIndexedDb(indexedDB, IDBKeyRange, name, 'a')
  const place = { backend, epoch, store, folder, mirror, own: mirrorName({ epoch, boot: 'jobs' }), boot: 'joined' }
  const report = await repairStore(store, { takeBack: () => keepMirror(place) })
  expect(report).toMatchObject({
    outcomes: [{ key: 'a', setAside: 1, isRefilled: true, left: [] }],
    mirror: { refilled: ['a'], entries: 3 },
  })
  expect(await texts(store, 'a')).toEqual(['one', 'two', 'three'])
  await mirror.close()
  await living.close()
  await backend.close()
})
