import { IDBKeyRange } from 'fake-indexeddb'
import { expect, it } from 'vitest'
import type { JournalMark } from '../../src/contract/journal.ts'
import { foldTails } from '../../src/mirror/fold-tails.ts'
import { mirrorName } from '../../src/mirror/mirror-names.ts'
import { openMirror } from '../../src/mirror/open-mirror.ts'
import { readFrames } from '../../src/mirror/read-frames.ts'
import { openIndexedDbBackend } from '../../src/storage/indexeddb/indexeddb-backend.ts'
import { createJournalDevice } from './support/journal-device.ts'
import { createMemoryFolder } from './support/memory-folder.ts'
import { say } from './support/talk.ts'
import { never, warm } from './support/two-journals.ts'

it('names in the mark of a tail no more sessions for each one that is stored', async () => {
  const name = 'many-keys'
  const device = createJournalDevice(name, never)
  const dead = await device.open()
  await warm(dead.store)
  await dead.store.flush()
  // The first session has frames before and behind those of all others.
  await say(dead.store, 'a', 'begins')
  for (let i = 0; i < 20; i++) await say(dead.store, `session ${i}`, 'answered')
  await say(dead.store, 'a', 'ends')
  dead.die()
  const backend = await openIndexedDbBackend({ name, indexedDB: device.indexedDB, IDBKeyRange })
  const marks: JournalMark[] = []
  await foldTails({
    backend,
    folder: device.folder,
    epoch: backend.epoch,
    arrive: async (_, mark) => marks.push(mark) > 0,
  })
  expect(marks.map(({ ahead = [] }) => ahead.map(([key]) => key))).toEqual([
    ...Array.from({ length: 20 }, () => ['a']),
    [],
  ])
  await backend.close()
})

it('says of each write that is answered together with others how far the file has it', async () => {
  const folder = createMemoryFolder()
  const place = { epoch: 'a0', boot: 'boot' }
  const mirror = openMirror({ folder, ...place }, () => undefined)
  await mirror.hasRoom()
  const marks = mirror.journal(['one', 'two and more', 'three'])
  const ends: number[] = []
  for await (const frames of readFrames((await folder.read(mirrorName(place)))!))
    for (const { head, to } of frames) if (head.kind === 'entries') ends.push(to)
  expect(ends).toHaveLength(3)
  expect(marks).toEqual(ends.map((upTo) => ({ boot: 'boot', upTo })))
  await mirror.close()
})
