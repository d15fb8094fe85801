import { describe, expect, it } from 'vitest'
import type { SyncEffect } from '../../../src/sync/machine/machine-command.ts'
import { mayConnect } from '../../../src/sync/machine/machine-state.ts'
import { step } from '../../../src/sync/machine/step.ts'
import { commandTypes, eventTypes } from './all-types.ts'
import { allMoves, type Move, move, type Place, possibleEvents } from './environment.ts'

const moves = allMoves()

const told = ({ from, event, to }: Move): string =>
  `${JSON.stringify(event)} in ${JSON.stringify(from)} leads to ${JSON.stringify(to)}`
const has = (commands: readonly SyncEffect[], ...types: readonly SyncEffect['type'][]): boolean =>
  commands.some(({ type }) => types.includes(type))
/** Moves that break a law, in words. */
const broken = (isBroken: (one: Move) => boolean): readonly string[] => moves.filter(isBroken).map(told).slice(0, 3)

describe('the step of sync, in every state that can be reached', () => {
  it('connects sessions exactly in the phases that allow it', () => {
    expect(broken(({ to }) => to.around.isWindowStarted !== mayConnect(to.state))).toEqual([])
  })

  it('keeps the list connected unless sync is paused, changes keys or is over', () => {
    expect(
      broken(({ to: { state, around } }) => {
        const { isPaused, isChangingKeys, isClosed } = state
        return !isPaused && !isChangingKeys && !isClosed && !around.isListOpen
      }),
    ).toEqual([])
  })

  it('opens the list once only', () => {
    expect(broken(({ from, commands }) => from.around.isListOpen && has(commands, 'openList'))).toEqual([])
  })

  it('sends no attachment and connects no session while it is paused', () => {
    expect(
      broken(
        ({ to, commands }) => to.state.isPaused && has(commands, 'retryBlobs', 'startWindow') && !isAsked(commands),
      ),
    ).toEqual([])
  })

  it('sends attachments only where it is known that the key is the one in use', () => {
    expect(broken(({ to, commands }) => has(commands, 'retryBlobs') && to.state.phase !== 'exchanging')).toEqual([])
  })

  it('is over for good once it is closed', () => {
    expect(
      broken(
        ({ from, to, commands }) =>
          from.state.isClosed &&
          (!to.state.isClosed || has(commands, 'openList', 'startWindow', 'checkKey', 'loadStore')),
      ),
    ).toEqual([])
  })

  it('closes the list and all sessions when it is paused, closed, or begins to change keys', () => {
    const ends = new Set(['pauseAsked', 'closeAsked', 'keyChangeBegan'])
    expect(
      broken(
        ({ from, event, commands }) =>
          ends.has(event.type) && !from.state.isClosed && !(has(commands, 'closeList') && has(commands, 'stopWindow')),
      ),
    ).toEqual([])
  })

  it('forgets what was settled whenever the other side may have become another', () => {
    const doubts = new Set(['listLost', 'listSetBack', 'peerCame'])
    expect(broken(({ event, commands }) => doubts.has(event.type) && !has(commands, 'forgetSettled'))).toEqual([])
  })

  it('hands on what an earlier run left, once', () => {
    expect(
      broken(({ from, to, commands }) => {
        const handed = commands.some((command) => command.type === 'retryBlobs' && command.hashes.length > 0)
        const isGone = from.state.leftBlobs.length > 0 && to.state.leftBlobs.length === 0
        return handed !== isGone && !to.state.isChangingKeys
      }),
    ).toEqual([])
  })

  it('gets to exchange sessions from everywhere, once it is resumed and all goes well', () => {
    const stuck = uniquePlaces().filter((place) => !place.state.isClosed && !getsThere(place))
    expect(stuck.map((place) => JSON.stringify(place)).slice(0, 3)).toEqual([])
  })

  it('is given every event in every phase in which it can come, and gives every command', () => {
    const events = new Set(moves.map(({ event }) => event.type))
    const commands = new Set(moves.flatMap((one) => one.commands.map(({ type }) => type)))
    expect([...events].sort()).toEqual(Object.keys(eventTypes).sort())
    expect([...commands].sort()).toEqual(Object.keys(commandTypes).sort())
  })

  it('changes nothing that it is given', () => {
    for (const { from, event, to } of moves)
      expect(step(deepFreeze(structuredClone(from.state)), deepFreeze(structuredClone(event))).state).toEqual(to.state)
  })
})

/** Whoever calls `syncNow` has all retried. */
const isAsked = (commands: readonly SyncEffect[]): boolean => has(commands, 'retryFailed')

function uniquePlaces(): readonly Place[] {
  return [...new Map(moves.map(({ to }) => [JSON.stringify(to), to])).values()]
}

function getsThere(place: Place): boolean {
  // What is opened or closed says so at once.
  const settled = (one: Place): Place => {
    const events = possibleEvents(one)
    return events.length === 1 ? move(one, events[0]!).to : one
  }
  let at = settled(place)
  const go = (event: Move['event']): void => void (at = settled(move(at, event).to))
  const connected = { state: 'connected' } as const
  const list = { isOpen: true, isUp: true, hasList: false, link: connected, standing: connected }
  if (at.around.isChecking) go({ type: 'keySettled' })
  if (at.around.keyChange === 'begun') go({ type: 'keysTaken', leftBlobs: [] })
  if (at.around.keyChange === 'taken') go({ type: 'keyChangeEnded' })
  go({ type: 'resumeAsked' })
  if (!at.around.isListOpen) return false
  go({ type: 'listLost', list: { ...list, isUp: false } })
  go({ type: 'listUp', list })
  go({ type: 'listChanged', isKeyCurrent: false })
  go({ type: 'listArrived', list: { ...list, hasList: true } })
  if (!at.around.isChecking) return false
  go({ type: 'keyChecked', found: { isRight: true } })
  go({ type: 'keySettled' })
  return at.state.phase === 'exchanging' && at.around.isWindowStarted
}

function deepFreeze<T>(value: T): T {
  if (typeof value === 'object' && value !== null) {
    for (const part of Object.values(value)) deepFreeze(part)
    Object.freeze(value)
  }
  return value
}
