import { expect, it } from 'vitest'
import { copyArgument } from '../../src/client/copy-argument.ts'

it('copies what Proxies stand for', () => {
  const state = new Proxy({ content: new Proxy([{ type: 'text', text: 'hi' }], {}), at: new Date(0) }, {})
  expect(copyArgument(state)).toEqual({ content: [{ type: 'text', text: 'hi' }], at: new Date(0) })
})

it.each<[string, unknown, RegExp]>([
  ['a function', { message: { content: () => 'hi' } }, /argument\.message\.content is a function/],
  ['a symbol', [{ a: Symbol('s') }], /argument\[0\]\.a is a symbol/],
  ['a function alone', () => 1, /argument is a function/],
  ['a getter that throws', { get content() { throw new Error('no') } }, /could not be copied.*no/],
  ['what holds itself and can not be cloned', (() => { const a: Record<string, unknown> = { f: new Proxy({}, {}) }; a['a'] = a; return a })(), /levels deep/],
])('refuses %s before it is sent, and says where', (_, argument, message) => {
  expect(() => copyArgument(argument)).toThrow(expect.objectContaining({ name: 'InvalidInput', message: expect.stringMatching(message) }))
})
