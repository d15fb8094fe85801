import { expect, it } from 'vitest'
import type { OperationRow } from '../../src/contract/operation-row.ts'
import { entryId } from '../../src/domain/address.ts'
import { rangesOf } from '../../src/domain/version-vector.ts'
import { wholeText } from '../../src/mirror/add-frame.ts'
import { encodeFrame, findFrames, textOf } from '../../src/mirror/frame.ts'
import { parseAnswered, textOfAnswered } from '../../src/mirror/mirrored-text.ts'
import { packOperation } from '../../src/mirror/packed-operation.ts'
import { withoutPurged } from '../../src/mirror/without-purged.ts'
import { createMirroredDevice } from './support/mirrored-device.ts'
import { say } from './support/talk.ts'

/** Appends of one entry each, as a journal gets them. */
async function talk(...texts: string[]) {
  const store = createMirroredDevice().bare()
  await say(store, 'k', ...texts)
  const { entries } = await store.changes('k', {})
  const stored = entries.filter(({ type }) => type === 'message').map((entry) => ({ ...entry, bytes: 10 }))
  const operations = stored.map(
    ({ w, s, branch, order, at }, i): OperationRow => ({
      id: `page.${i}`,
      fingerprint: `f${i}`,
      result: { entries: [{ id: entryId(w, s), branch, order, at }], branch, moved: false },
      n: i,
      made: { w, s, order, branch },
      ...(i === 1 ? { call: 'page.call' } : {}),
    }),
  )
  return { stored, operations }
}
const write = ({ stored, operations }: Awaited<ReturnType<typeof talk>>) => ({
  key: 'k',
  session: 1,
  since: 7,
  entries: stored,
  operations,
})

it('has an append of one entry in few characters, and gives back all of its row', async () => {
  const said = await talk('a', 'b', 'c')
  for (const operation of said.operations) {
    const text = JSON.stringify(packOperation(operation, said.stored))
    expect(text.length).toBeLessThan(40)
  }
  const found = parseAnswered(wholeText(textOfAnswered(write(said))))
  expect(found).toMatchObject({ key: 'k', session: 1, since: 7 })
  expect(found?.entries).toStrictEqual(said.stored)
  expect(found?.operations).toStrictEqual(said.operations)
})

it.each([
  ['of several entries', { result: { branch: '', moved: false, count: 3, last: 'x' } }],
  ['after which the line had moved', { result: { entries: [], branch: '', moved: true } }],
  ['without a result', { result: null }],
  ['without content', { made: undefined }],
  ['that was done again', { isRedone: true }],
  ['whose receipt names another place', { made: { w: 1, s: 1, order: 'elsewhere', branch: '' } }],
])('keeps an operation %s as it is', async (_, other) => {
  const said = await talk('a')
  const { made, ...rest } = { ...said.operations[0]!, ...other }
  const operation = (made === undefined ? rest : { ...rest, made }) as OperationRow
  const kept = parseAnswered(wholeText(textOfAnswered(write({ ...said, operations: [operation] }))))
  expect(kept?.operations).toStrictEqual([operation])
})

it('knows an operation whose entry is erased from the frame, which takes no more room', async () => {
  const said = await talk('a', 'b', 'c')
  const text = wholeText(textOfAnswered(write(said)))
  const [frame] = findFrames(encodeFrame({ kind: 'entries', number: 1, confirmed: 0, text }), true).frames
  const [{ w, s }] = said.stored as [(typeof said.stored)[0]]
  const [left] = findFrames(withoutPurged(frame!, rangesOf([{ w, s }]))!, true).frames
  const found = parseAnswered(textOf(left!.body))
  expect(found?.entries).toEqual(said.stored.slice(1))
  expect(found?.operations).toStrictEqual(said.operations)
})

it('keeps the frame of a burst when one entry in its middle is erased', async () => {
  const said = await talk(...Array.from({ length: 20 }, (_, i) => `m${i}`))
  const text = wholeText(textOfAnswered(write(said)))
  const [frame] = findFrames(encodeFrame({ kind: 'entries', number: 1, confirmed: 0, text }), true).frames
  const { w, s } = said.stored[1]!
  const [left] = findFrames(withoutPurged(frame!, rangesOf([{ w, s }]))!, true).frames
  const found = parseAnswered(textOf(left!.body))
  expect(found?.entries).toEqual(said.stored.toSpliced(1, 1))
  expect(found?.operations).toStrictEqual(said.operations)
})

it('takes no other entry for the one of an operation when an entry of the frame is damaged', async () => {
  const said = await talk('a', 'b', 'c')
  const [key, session, packed, ...rest] = JSON.parse(wholeText(textOfAnswered(write(said)))) as unknown[]
  const damaged = JSON.stringify([key, session, (packed as unknown[]).with(0, ['damaged']), ...rest])
  expect(parseAnswered(damaged)?.operations).toStrictEqual(said.operations.slice(1))
})
