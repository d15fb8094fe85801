import { SessionError } from '../../../contract/errors.ts'
import { longestName, longestRowKey } from '../../../contract/store/collections.ts'
import { toWellFormed } from '../../../domain/to-well-formed.ts'
import { describeValue } from '../describe-value.ts'

/** @throws InvalidInput */
export function checkCollection(name: unknown): asserts name is string {
  checkText(name, longestName, 'The name of a collection')
}

/** @throws InvalidInput */
export function checkRowKey(key: unknown, name: string): asserts key is string {
  checkText(key, longestRowKey, name)
}

/** @throws InvalidInput */
export function checkRowKeys(keys: readonly unknown[]): asserts keys is readonly string[] {
  keys.forEach((key, i) => checkRowKey(key, `keys[${i}]`))
}

function checkText(text: unknown, longest: number, name: string): void {
  if (typeof text === 'string' && text !== '' && text.length <= longest && toWellFormed(text) === text) return
  const found =
    typeof text !== 'string'
      ? describeValue(text)
      : text.length > longest
        ? `one of ${text.length}`
        : text === ''
          ? 'an empty one'
          : 'one with half of a surrogate pair'
  throw new SessionError('InvalidInput', `${name} must be a string of 1 to ${longest} characters, got ${found}.`)
}
