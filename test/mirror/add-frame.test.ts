import { expect, it } from 'vitest'
import { createFrameAdder, type FrameText, wholeText } from '../../src/mirror/add-frame.ts'
import { encodeFrame, findFrames, textOf } from '../../src/mirror/frame.ts'
import { createMemoryFolder } from './support/memory-folder.ts'

const head = { kind: 'entries', number: 3, confirmed: 2 } as const

async function openFile() {
  const folder = createMemoryFolder()
  const file = (await folder.open('one'))!
  return { folder, file, add: createFrameAdder(file), bytes: () => folder.files.get('one')! }
}

const long = 2 ** 18

it.each<[string, FrameText]>([
  ['no text', ''],
  ['a short text', 'one'],
  ['a list', { before: '[', items: ['1', '', '"会话"'], after: ']' }],
  ['a list without items', { before: '[', items: [], after: ']' }],
  ['a text as long as its memory', 'x'.repeat(long - 24)],
  ['a text that is one byte longer', 'x'.repeat(long - 23)],
  ['items that end with its memory', { before: '', items: ['x'.repeat(long - 24), 'y'.repeat(long - 1)], after: '' }],
  ['pairs of surrogates across the ends of its memory', `y${'😀'.repeat(200_000)}z`],
  [
    'many items of three bytes each character',
    { before: '[', items: Array.from({ length: 5000 }, (_, i) => `会话记录${i}`.repeat(9)), after: ']' },
  ],
])('writes %s as it is encoded in one go', async (_, text) => {
  const { add, bytes } = await openFile()
  const first = add({ ...head, number: 1 }, 'before', 0)
  const end = add(head, text, first)
  const whole = encodeFrame({ ...head, text: wholeText(text) })
  expect(end).toBe(first + whole.length)
  expect(Buffer.compare(bytes().subarray(first), whole)).toBe(0)
  const { frames } = findFrames(bytes(), true)
  expect(frames.map(({ head: { number } }) => number)).toEqual([1, 3])
  expect(textOf(frames[1]!.body)).toBe(wholeText(text))
})

it.each([0, 100, 2 ** 18, 2 ** 18 + 5000])(
  'leaves no frame that counts when there is room for %i bytes only',
  async (room) => {
    const { folder, add, bytes } = await openFile()
    const end = add({ ...head, number: 1 }, 'before', 0)
    folder.room = room
    expect(() => add(head, 'x'.repeat(2 ** 20), end)).toThrow(RangeError)
    expect(findFrames(bytes(), true).frames.map((frame) => frame.head.number)).toEqual([1])
    // The next one takes its place.
    folder.room = Number.POSITIVE_INFINITY
    add({ ...head, number: 4 }, 'after', end)
    expect(findFrames(bytes(), true).frames.map((frame) => frame.head.number)).toEqual([1, 4])
  },
)
