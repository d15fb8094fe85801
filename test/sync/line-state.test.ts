import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import type { LinkStatus } from '../../src/sync/link.ts'
import {
  initialLine,
  isReached,
  type LineCommand,
  type LineEvent,
  type LineState,
  stepLine,
} from '../../src/sync/transports/line-state.ts'

const offline: LinkStatus = { state: 'offline' }

/** Everything that can come. */
const events: readonly LineEvent[] = [
  { type: 'started' },
  { type: 'reached', isReadonly: false },
  { type: 'reached', isReadonly: true },
  { type: 'waiting', ms: 1 },
  { type: 'answered' },
  { type: 'refused' },
  { type: 'askWanted' },
  { type: 'asked' },
  { type: 'ended', status: offline, mustLeave: false },
  { type: 'closed' },
]

/** Every state that can be reached, with the moves between them. */
function explore(): { readonly states: readonly LineState[]; readonly moves: ReadonlySet<string> } {
  const seen = new Map<string, LineState>()
  const moves = new Set<string>()
  const left: LineState[] = [initialLine]
  for (let state = left.pop(); state !== undefined; state = left.pop()) {
    if (seen.has(JSON.stringify(state))) continue
    seen.set(JSON.stringify(state), state)
    for (const event of events) {
      const next: LineState = stepLine(state, event).state
      if (next.at !== state.at) moves.add(`${state.at} --> ${next.at}: ${event.type}`)
      left.push(next)
    }
  }
  return { states: [...seen.values()], moves }
}

/** The state after some events, and all commands on the way. */
function run(...given: readonly LineEvent[]): { readonly state: LineState; readonly commands: readonly LineCommand[] } {
  const commands: LineCommand[] = []
  let state = initialLine
  for (const event of given) {
    const move = stepLine(state, event)
    state = move.state
    for (const command of move.commands) commands.push(command)
  }
  return { state, commands }
}

const started: LineEvent = { type: 'started' }
const reached: LineEvent = { type: 'reached', isReadonly: false }
const answered: LineEvent = { type: 'answered' }
const ended: LineEvent = { type: 'ended', status: offline, mustLeave: false }

it('has exactly the moves that its diagram has', () => {
  const [, diagram] = /<!-- line -->\n```mermaid\nstateDiagram-v2\n([^`]*)```/.exec(
    readFileSync(new URL('../../docs/sync.md', import.meta.url), 'utf8'),
  )!
  const drawn = diagram!.split('\n').flatMap((line) => {
    const [, move, types] = /^ *(\w+ --> \w+): (.+)$/.exec(line) ?? []
    return types?.split(', ').map((type) => `${move}: ${type}`) ?? []
  })
  expect([...explore().moves].sort()).toEqual(drawn.sort())
})

it('releases everything once, and does nothing after the end', () => {
  for (const state of explore().states) {
    for (const end of [ended, { type: 'closed' } as const]) {
      const { state: next, commands } = stepLine(state, end)
      expect(next).toEqual({ at: 'over' })
      expect(commands.filter((command) => command.do === 'release')).toHaveLength(state.at === 'over' ? 0 : 1)
    }
    if (state.at === 'over') for (const event of events) expect(stepLine(state, event)).toEqual({ state, commands: [] })
  }
})

it('says why it ended after everything is released, and says nothing when it is closed from here', () => {
  expect(run(started, ended).commands.slice(-2)).toEqual([
    { do: 'release', mustLeave: false },
    { do: 'tell', status: offline },
  ])
  expect(run(started, { type: 'closed' }).commands.at(-1)).toEqual({ do: 'release', mustLeave: true })
})

it('says nothing before it has started', () => {
  for (const event of events.filter(({ type }) => !['started', 'reached', 'ended'].includes(type)))
    expect(run(event).commands.some((command) => command.do === 'tell')).toBe(false)
})

it('has one question on its way at a time, in every state', () => {
  for (const state of explore().states) {
    if (state.at === 'over') continue
    const first = stepLine({ ...state, isAsking: false }, { type: 'askWanted' })
    expect(first.commands).toEqual([{ do: 'ask' }])
    expect(stepLine(first.state, { type: 'askWanted' }).commands).toEqual([])
    const next = stepLine(first.state, { type: 'asked' })
    expect(stepLine(next.state, { type: 'askWanted' }).commands).toEqual([{ do: 'ask' }])
  }
})

it('keeps a question that is on its way when the other side is reached and answers', () => {
  expect(run(started, { type: 'askWanted' }, reached, answered).state).toMatchObject({
    at: 'exchanging',
    isAsking: true,
  })
})

it('stops writing and says so once, however often the other side refuses', () => {
  const refused: LineEvent = { type: 'refused' }
  const readonly: LineEvent = { type: 'reached', isReadonly: true }
  for (const given of [
    [started, readonly, answered, refused, refused],
    [started, reached, refused, readonly, answered, readonly],
    [started, reached, answered, readonly, refused],
  ]) {
    const { state, commands } = run(...given)
    expect(state).toMatchObject({ at: 'exchanging', isReadonly: true })
    expect(commands.filter((command) => command.do === 'stopWriting')).toHaveLength(1)
    expect(
      commands.filter(({ ...command }) => 'status' in command && command.status.state === 'readonly'),
    ).toHaveLength(1)
  }
})

it('says who is here once, after it says that the other side is reached', () => {
  const { commands } = run(started, reached, reached, answered)
  expect(commands.map((command) => command.do)).toEqual(['tell', 'connect', 'tell', 'greet', 'stopWaiting'])
})

it('waits only until the other side has answered', () => {
  const waiting: LineEvent = { type: 'waiting', ms: 5 }
  expect(run(started, waiting).commands.at(-1)).toEqual({ do: 'wait', ms: 5 })
  expect(run(started, waiting, reached).commands.some((command) => command.do === 'stopWaiting')).toBe(false)
  expect(run(started, waiting, reached, answered).commands.at(-1)).toEqual({ do: 'stopWaiting' })
  expect(run(started, reached, answered, waiting).commands.at(-1)).toEqual({ do: 'stopWaiting' })
})

it('has the document open at the other side in two states', () => {
  const open = new Set(
    explore()
      .states.filter(isReached)
      .map(({ at }) => at),
  )
  expect([...open].sort()).toEqual(['connected', 'exchanging'])
})
