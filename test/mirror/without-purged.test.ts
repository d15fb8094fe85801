import { expect, it } from 'vitest'
import { rangesOf } from '../../src/domain/version-vector.ts'
import { wholeText } from '../../src/mirror/add-frame.ts'
import { encodeFrame, findFrames, textOf } from '../../src/mirror/frame.ts'
import { parseAnswered, parseEntries, textOfAnswered, textsOfEntries } from '../../src/mirror/mirrored-text.ts'
import { withoutPurged } from '../../src/mirror/without-purged.ts'
import { createMirroredDevice } from './support/mirrored-device.ts'
import { say } from './support/talk.ts'

it('leaves with the entries that stay what made them, lest they come back beside their repetition', async () => {
  const store = createMirroredDevice().bare()
  await say(store, 'k', 'goes', 'stays')
  const { entries } = await store.changes('k', {})
  const stored = entries.filter(({ type }) => type === 'message').map((entry) => ({ ...entry, bytes: 10 }))
  const [text] = [...textsOfEntries({ key: 'k', session: 1 }, stored, ['page.7'])]
  const [frame] = findFrames(
    encodeFrame({ kind: 'entries', number: 1, confirmed: 0, text: wholeText(text!) }),
    true,
  ).frames
  const { w, s } = stored[0]!
  const [left] = findFrames(withoutPurged(frame!, rangesOf([{ w, s }]))!, true).frames
  const found = parseEntries(textOf(left!.body))
  expect(found?.entries.map((entry) => entry.s)).toEqual([stored[1]!.s])
  expect(found?.operations).toEqual(['page.7'])
})

it('leaves an answered write what makes it arrive', async () => {
  const store = createMirroredDevice().bare()
  await say(store, 'k', 'goes', 'stays')
  const { entries } = await store.changes('k', {})
  const stored = entries.filter(({ type }) => type === 'message').map((entry) => ({ ...entry, bytes: 10 }))
  const write = {
    key: 'k',
    session: 1,
    since: 7,
    entries: stored,
    operations: [{ id: 'page.7', fingerprint: 'f', result: 1, n: 3 }],
  }
  const text = wholeText(textOfAnswered(write))
  const [frame] = findFrames(encodeFrame({ kind: 'entries', number: 1, confirmed: 0, text }), true).frames
  const { w, s } = stored[0]!
  const [left] = findFrames(withoutPurged(frame!, rangesOf([{ w, s }]))!, true).frames
  const found = parseAnswered(textOf(left!.body))
  expect(found?.entries.map((entry) => entry.s)).toEqual([stored[1]!.s])
  expect(found).toMatchObject({ since: 7, operations: [{ id: 'page.7', n: 3 }] })
})
