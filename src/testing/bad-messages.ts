import type { SessionErrorName } from '../contract/errors.ts'
import type { Message } from '../contract/message.ts'
import { user } from './helpers.ts'
import { nest } from './messages.ts'

export const withField = (value: unknown): Message => ({ role: 'user', content: 'x', field: value as never })

/** An object whose member throws when it is read. */
function trapped(name: string, rest: object = {}): object {
  return Object.defineProperty(rest, name, {
    enumerable: true,
    get: () => {
      throw new Error('no')
    },
  })
}

function cycle(): Message {
  const message: Record<string, unknown> = { role: 'user', content: 'x' }
  message['self'] = { list: [message] }
  return message as unknown as Message
}

export interface BadMessage {
  readonly name: string
  readonly make: () => unknown
  readonly error?: SessionErrorName
  /** Whether a port refuses to carry it, or makes something else of it. */
  readonly uncloneable?: true | 'flattened'
}

export const badMessages: readonly BadMessage[] = [
  { name: 'a function', make: () => withField(() => 1), uncloneable: true },
  { name: 'a symbol', make: () => withField(Symbol('s')), uncloneable: true },
  { name: 'a promise', make: () => withField(Promise.resolve(1)), uncloneable: true },
  { name: 'a getter that throws', make: () => withField(trapped('a')), uncloneable: true },
  { name: 'a role that throws when it is read', make: () => trapped('role', { content: 'x' }), uncloneable: true },
  { name: 'a BigInt', make: () => withField(10n) },
  { name: 'NaN', make: () => withField(Number.NaN) },
  { name: 'an infinity', make: () => withField([Number.NEGATIVE_INFINITY]) },
  { name: 'a Date', make: () => withField(new Date(0)) },
  { name: 'an invalid Date', make: () => withField(new Date(Number.NaN)) },
  { name: 'a Map', make: () => withField(new Map([[1, 2]])) },
  { name: 'a Set', make: () => withField(new Set([1])) },
  { name: 'a RegExp', make: () => withField(/x/) },
  { name: 'a boxed string', make: () => withField(Object('x')) },
  { name: 'undefined in a list', make: () => withField([1, undefined]) },
  { name: 'a hole in a list', make: () => withField([1, , 3]) },
  {
    name: 'an instance of a class',
    make: () =>
      withField(
        new (class Part {
          readonly text = 'x'
        })(),
      ),
    uncloneable: 'flattened',
  },
  {
    name: 'an instance of a class as the message',
    make: () =>
      new (class HumanMessage {
        readonly role = 'user'
        readonly content = 'x'
      })(),
    uncloneable: 'flattened',
  },
  {
    name: 'an object with toJSON',
    make: () =>
      withField(
        new (class Money {
          readonly text = 'x'
          toJSON(): string {
            return '1'
          }
        })(),
      ),
    uncloneable: 'flattened',
  },
  { name: 'bytes', make: () => withField(new Uint8Array(3)) },
  { name: 'a cycle', make: cycle },
  {
    name: 'an own key __proto__',
    make: () => withField(JSON.parse('{"__proto__":{"admin":true}}')),
    uncloneable: true,
  },
  { name: '300 levels', make: () => withField(nest(300)) },
  { name: '100,000 levels', make: () => withField(nest(100_000)), uncloneable: true },
  { name: '20 MiB', make: () => withField('x'.repeat(20 * 1024 * 1024)), error: 'TooLarge' },
  { name: 'no role', make: () => ({ content: 'x' }) },
  { name: 'an empty role', make: () => ({ role: '', content: 'x' }) },
  { name: 'a role that is not a string', make: () => ({ role: 5, content: 'x' }) },
  { name: 'a content that is a number', make: () => ({ role: 'user', content: 5 }) },
  { name: 'a content that is an object', make: () => ({ role: 'user', content: { type: 'text' } }) },
  { name: 'a part without a type', make: () => ({ role: 'user', content: [{ text: 'x' }] }) },
  { name: 'a part that is null', make: () => ({ role: 'user', content: [null] }) },
  { name: 'nothing at all', make: () => undefined },
  { name: 'null', make: () => null },
  { name: 'a string', make: () => 'hello' },
  { name: 'a list', make: () => [user('x')] },
]
