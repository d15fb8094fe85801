import { expect, it } from 'vitest'
import { textOfAnswered, textsOfEntries } from '../../src/mirror/mirrored-text.ts'
import { openMirror } from '../../src/mirror/open-mirror.ts'
import { scanFile } from '../../src/mirror/scan-file.ts'
import { createMemoryFolder } from './support/memory-folder.ts'
import { createMirroredDevice } from './support/mirrored-device.ts'
import { say } from './support/talk.ts'

it('counts what was answered as told, and what a transaction was storing then as not', async () => {
  const store = createMirroredDevice().bare()
  await say(store, 'k', 'under way', 'answered')
  const { entries } = await store.changes('k', {})
  const [first, second] = entries.filter(({ type }) => type === 'message').map((entry) => ({ ...entry, bytes: 10 }))
  const folder = createMemoryFolder()
  const mirror = openMirror({ folder, epoch: 'e', boot: 'b' }, () => undefined)
  await mirror.hasRoom()
  mirror.begin(textsOfEntries({ key: 'k', session: 1 }, [first!], ['page.1']))
  const operations = [{ id: 'page.2', fingerprint: '', result: null, n: 1 }]
  mirror.journal([textOfAnswered({ key: 'k', session: 1, since: 1, entries: [second!], operations })])
  const [name] = await folder.list()
  const { sessions } = await scanFile((await folder.read(name!))!)
  expect(sessions.get('k')?.frames.map((frame) => frame.operations)).toEqual([['page.1'], ['page.2']])
  expect(sessions.get('k')?.unconfirmed).toBe(1)
})

it('names the operations of what was answered also when later frames confirm it', async () => {
  const store = createMirroredDevice().bare()
  await say(store, 'k', 'answered', 'stored', 'stored later')
  const { entries } = await store.changes('k', {})
  const [first, ...later] = entries.filter(({ type }) => type === 'message').map((entry) => ({ ...entry, bytes: 10 }))
  const folder = createMemoryFolder()
  const mirror = openMirror({ folder, epoch: 'e', boot: 'b' }, () => undefined)
  await mirror.hasRoom()
  const operations = [{ id: 'page.1', fingerprint: '', result: null, n: 1 }]
  mirror.journal([textOfAnswered({ key: 'k', session: 1, since: 1, entries: [first!], operations })])
  for (const [i, entry] of later.entries())
    await mirror.begin(textsOfEntries({ key: 'k', session: 1 }, [entry], [`page.${i + 2}`])).stored()
  await mirror.close()
  const [name] = await folder.list()
  const { sessions } = await scanFile((await folder.read(name!))!)
  expect(sessions.get('k')?.frames.map((frame) => frame.operations)).toEqual([['page.1'], [], []])
})
