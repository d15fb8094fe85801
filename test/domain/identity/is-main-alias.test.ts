import { expect, it } from 'vitest'
import { isMainAlias } from '../../../src/domain/identity/is-main-alias.ts'
import { mainSessionKey, opaqueKey } from '../../../src/domain/identity/session-key.ts'

it.each(['agent:main:main', 'agent:sales:main', ' Agent:My Sales:MAIN '])('%j means a main session', (alias) =>
  expect(isMainAlias(alias)).toBe(true),
)

it.each(['agent:main:direct:main', 'agent:main:main:1', 'agent::main', 'agent:main', 'main', 'sk_v1_main', ''])(
  '%j means none',
  (alias) => {
    expect(isMainAlias(alias)).toBe(false)
  },
)

it('knows the opaque main keys of the agent main and of the agent in question', () => {
  const [main, sales] = [mainSessionKey('main'), mainSessionKey('sales')]
  expect([isMainAlias(main), isMainAlias(` ${main.toUpperCase()}`), isMainAlias(main, sales)]).toEqual([
    true,
    true,
    true,
  ])
  expect([isMainAlias(sales), isMainAlias(sales, sales)]).toEqual([false, true])
  expect(isMainAlias(opaqueKey('agent:sales:direct:1'), sales)).toBe(false)
})
