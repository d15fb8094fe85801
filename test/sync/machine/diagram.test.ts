import { expect, it } from 'vitest'
import { drawnMoves } from './diagram.ts'
import { allMoves } from './environment.ts'

it('the diagram of sync has exactly the moves between phases that its step can make', () => {
  const made = allMoves().filter(({ from, to }) => from.state.phase !== to.state.phase)
  const names = new Set(made.map(({ from, event, to }) => `${from.state.phase} --> ${to.state.phase}: ${event.type}`))
  expect([...names].sort()).toEqual([...drawnMoves()].sort())
})
