import { expect, it } from 'vitest'
import { mainKeyOf } from '../../../src/domain/identity/main-key-of.ts'
import { mainSessionKey } from '../../../src/domain/identity/session-key.ts'

it('gives the key of the main session, whatever the case and the space around', () => {
  expect(mainKeyOf('agent:main:main')).toBe('sk_v1_6d9217fe77c7f11d9cc992aabe81a2d09604e9c48babbda8fdad3791f9c19f3b')
  for (const name of ['agent:x:main', ' Agent:X:MAIN\u0085']) expect(mainKeyOf(name)).toBe(mainSessionKey('x'))
})

it.each([
  '',
  'main',
  'agent:main',
  'agent::main',
  'agent:x:main:',
  'agent:x:y:main',
  'agent:x:mainly',
  ':agent:x:main',
  mainSessionKey('x'),
])('gives none for %j', (name) => {
  expect(mainKeyOf(name)).toBeUndefined()
})
