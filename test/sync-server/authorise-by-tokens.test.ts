import { expect, it } from 'vitest'
import { authoriseByTokens } from '../../server/src/access/authorise-by-tokens.js'

it('counts each entry of a token, and of several for a namespace the one that allows most now', () => {
  const decide = authoriseByTokens([
    { token: 'ada', namespaces: ['ada'] },
    { token: 'ada', namespaces: ['ada', 'team-*'], access: 'read' },
    { token: 'ada', namespaces: ['bob'], expires: '2020-01-01T00:00:00Z' },
    { token: 'ada', namespaces: ['bob'], access: 'read' },
  ])
  const decisions = ['ada', 'team-a', 'bob', 'carol'].map((namespace) => decide('ada', `${namespace}/index`))
  expect(decisions).toEqual(['write', 'read', 'read', 'denied'])
})
