import { expect, it } from 'vitest'
import { mirrorName } from '../../src/mirror/mirror-names.ts'
import { createMirrorWriter } from '../../src/mirror/mirror-writer.ts'
import { createSessionFinder } from '../../src/mirror/session-finder.ts'
import { createMemoryFolder } from './support/memory-folder.ts'

const textOf = (key: string, session: number, content: string): string => JSON.stringify([key, session, [[content]]])

/** A folder with one file, and how much was read of it. */
async function openCounted() {
  const folder = createMemoryFolder()
  const name = mirrorName({ epoch: 'e', boot: 'boot1' })
  const writer = createMirrorWriter((await folder.open(name))!)
  let bytes = 0
  const counted = {
    ...folder,
    read: async (file: string) => {
      const blob = await folder.read(file)
      const slice = (from = 0): Blob => {
        bytes += blob!.size - from
        return Blob.prototype.slice.call(blob, from)
      }
      return blob && Object.assign(blob, { slice })
    },
  }
  return {
    folder,
    name,
    writer,
    finder: createSessionFinder(counted),
    read: () => bytes,
    size: () => folder.files.get(name)!.length,
  }
}

it('reads a file once, however many sessions are looked for', async () => {
  const { writer, finder, read, size } = await openCounted()
  for (let i = 0; i < 500; i++) writer.add('entries', textOf(`k${i}`, i, 'x'.repeat(100)))
  for (let i = 0; i < 500; i++) {
    const [[, frames]] = (await finder.find(`k${i}`)) as unknown as [[string, { session: number }[]]]
    expect(frames.map(({ session }) => session)).toEqual([i])
  }
  expect(read()).toBe(size())
})

it('finds what was written since, and keys with signs of JSON in them', async () => {
  const { writer, finder, name } = await openCounted()
  const odd = 'a"b\\c,d\n会'
  const first = writer.add('entries', textOf(odd, 1, 'one'))
  expect(await finder.find(odd)).toEqual([[name, [{ ...first, session: 1 }]]])
  const second = writer.add('entries', textOf(odd, 22, 'two'))
  writer.add('entries', textOf('a', 3, 'other'))
  expect(await finder.find(odd)).toEqual([
    [
      name,
      [
        { ...first, session: 1 },
        { ...second, session: 22 },
      ],
    ],
  ])
})

it('looks again through a file that is another one by now, and forgets one that is gone', async () => {
  const { folder, writer, finder, name } = await openCounted()
  writer.add('entries', textOf('a', 1, 'one'))
  writer.add('entries', textOf('b', 2, 'two'))
  await finder.find('a')
  folder.files.set(name, new Uint8Array())
  expect(await finder.find('a')).toEqual([[name, []]])
  folder.files.delete(name)
  expect(await finder.find('a')).toEqual([])
})
