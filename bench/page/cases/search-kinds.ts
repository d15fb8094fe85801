import type { SearchOptions } from '../../../src/client/client-contract.ts'
import { chineseWord, latinWord } from '../talk.ts'

export interface Asked {
  readonly query: string
  readonly options?: SearchOptions
}

/** When the message at this place was written. */
export const writtenAt = (index: number): number => 1_700_000_000_000 + index * 60_000

export const agents = 5

/** Twenty of each kind of thing that people look for. */
export const kinds: Readonly<Record<string, (i: number) => Asked>> = {
  'one of the most common words': (i) => ({ query: latinWord(i) }),
  'two common words': (i) => ({ query: `${latinWord(i)} ${latinWord(20 + i)}` }),
  'a word': (i) => ({ query: latinWord(200 + i * 31) }),
  'three words': (i) => ({ query: `${latinWord(10 + i)} ${latinWord(100 + i)} ${latinWord(300 + i)}` }),
  'a rare word': (i) => ({ query: latinWord(15_000 + i) }),
  'two letters': (i) => ({ query: latinWord(i * 37).slice(0, 2) }),
  'a phrase': (i) => ({ query: `"${latinWord(i)} ${latinWord(i + 1)}"` }),
  'a Chinese word': (i) => ({ query: chineseWord(50 + i * 13) }),
  'two Chinese words together': (i) => ({ query: chineseWord(i) + chineseWord(i + 1) }),
  'one Chinese character': (i) => ({ query: chineseWord(i)[0]! }),
  'nothing that is there': (i) => ({ query: `xx${latinWord(i)}xx` }),
  'a common word, in one session': (i) => ({ query: latinWord(i), options: { sessionKey: `talk-${i * 7}` } }),
  'a common word, with one agent': (i) => ({ query: latinWord(i), options: { agentId: `agent-${i % agents}` } }),
  'a common word, of one day': (i) => ({
    query: latinWord(i),
    options: { from: writtenAt(i * 90), to: writtenAt(i * 90 + 1440) },
  }),
}
