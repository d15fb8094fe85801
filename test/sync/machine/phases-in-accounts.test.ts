import { expect, it, vi } from 'vitest'
import type * as Machine from '../../../src/sync/machine/step.ts'
import { runAccounts } from '../simulation/run-accounts.ts'
import { drawnMoves } from './diagram.ts'

const seen = vi.hoisted(() => ({ moves: new Set<string>(), events: new Set<string>() }))

vi.mock('../../../src/sync/machine/step.ts', async (load) => {
  const { step } = await load<typeof Machine>()
  return {
    step: ((state, event) => {
      const next = step(state, event)
      seen.events.add(event.type)
      if (next.state.phase !== state.phase) seen.moves.add(`${state.phase} --> ${next.state.phase}: ${event.type}`)
      return next
    }) satisfies typeof Machine.step,
  }
})

it('devices that go through everything make no move that the diagram does not have', async () => {
  await runAccounts(0, 1, 14)
  const drawn = drawnMoves()
  expect([...seen.moves].filter((one) => !drawn.has(one))).toEqual([])
  // They did get around.
  expect([...seen.moves]).toEqual(
    expect.arrayContaining([
      'connecting --> checkingKey: listUp',
      'checkingKey --> exchanging: keyChecked',
      'exchanging --> connecting: listLost',
      'exchanging --> paused: pauseAsked',
      'paused --> connecting: resumeAsked',
    ]),
  )
}, 120_000)
