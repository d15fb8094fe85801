import { expect, it } from 'vitest'
import { rankTexts } from '../../src/domain/rank-texts.ts'

it('ranks rare words before common ones, many before few, and short texts before long ones', () => {
  expect(rankTexts('cat dog', ['cat', 'cat', 'dog', 'cat'])).toEqual([2, 0, 1, 3])
  expect(rankTexts('cat', ['cat house tree', 'cat cat tree'])).toEqual([1, 0])
  expect(rankTexts('cat', ['cat in a house with a tree', 'cat in a house'])).toEqual([1, 0])
  expect(rankTexts('cat dog', ['cat mouse', 'cat dog'])).toEqual([1, 0])
})

it('finds words that go on, after those that are the very word, from three letters up', () => {
  expect(rankTexts('tea', ['teapot', 'team', 'tea', 'steam'])).toEqual([2, 1, 0])
  expect(rankTexts('te', ['tea', 'te'])).toEqual([1])
})

it('takes scripts without spaces by pairs of characters, and one alone by the pairs that begin with it', () => {
  expect(rankTexts('会话', ['话会', '新会话记录'])).toEqual([1])
  // The end of the query is no find by itself.
  expect(rankTexts('会话', ['电话'])).toEqual([])
  expect(rankTexts('话', ['话记', '会话', '记录'])).toEqual([0, 1])
  expect(rankTexts('한국어', ['한국어를 배운다', '국수'])).toEqual([0])
})

it('makes no difference of case, accents and width', () => {
  expect(rankTexts('STRASSE', ['straße', 'Ｓｔｒａｓｓｅ', 'strase'])).toEqual([0, 1])
})

it('finds nothing where nothing is asked or there is nothing', () => {
  expect([rankTexts('', ['a']), rankTexts('?', ['a']), rankTexts('a', []), rankTexts('a', [''])]).toEqual([
    [],
    [],
    [],
    [],
  ])
})
