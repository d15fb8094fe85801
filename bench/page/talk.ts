import type { Message } from '../../src/contract/message.ts'

const syllables = [
  'ba',
  'ce',
  'di',
  'fo',
  'gu',
  'hal',
  'jen',
  'kir',
  'lom',
  'mus',
  'nat',
  'per',
  'qui',
  'ros',
  'sun',
  'tar',
  've',
  'wix',
  'yo',
  'zen',
]
const vocabulary = 20_000
const firstCharacter = 0x4e00

/** A word of English looks: number 0 is the most common one. All differ. */
export function latinWord(number: number): string {
  let word = syllables[number % syllables.length]!
  for (let rest = Math.floor(number / syllables.length); rest > 0; rest = Math.floor(rest / syllables.length))
    word += syllables[rest % syllables.length]!
  return word
}

/** A Chinese word of two characters. */
export function chineseWord(number: number): string {
  return String.fromCharCode(
    firstCharacter + ((number * 7919) % 3001),
    firstCharacter + ((number * 104_729 + 17) % 3001),
  )
}

/**
 * The message at this place: always the same, as long as those of `messageAt`, but of words that are as common and as
 * rare as those of a language are; three in ten in Chinese.
 */
export function talkAt(index: number): Message {
  const random = createRandom(index)
  const bytes = 50 + 200 * 30 ** (random() ** 1.556)
  const isChinese = random() < 0.3
  let content = ''
  for (let n = 0; content.length < (isChinese ? bytes / 3 : bytes); n++) {
    // The n-th most common word comes about 1 / n as often as the first.
    const number = Math.floor(Math.exp(random() * Math.log(vocabulary))) - 1
    if (isChinese) content += chineseWord(number) + (n % 6 === 5 ? '，' : '')
    else content += `${n === 0 ? '' : ' '}${latinWord(number)}${n % 12 === 11 ? '.' : ''}`
  }
  return { role: index % 2 === 0 ? 'user' : 'assistant', content }
}

function createRandom(seed: number): () => number {
  let state = Math.imul(seed + 1, 0x9e3779b1)
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let x = Math.imul(state ^ (state >>> 15), 1 | state)
    x = (x + Math.imul(x ^ (x >>> 7), 61 | x)) ^ x
    return ((x ^ (x >>> 14)) >>> 0) / 2 ** 32
  }
}
