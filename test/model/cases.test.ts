import { describe, expect, it } from 'vitest'
import type { Entry } from '../../src/contract/entry.ts'
import { clockLimit, tick } from '../../src/domain/clock.ts'
import { lineOf } from '../../src/domain/line.ts'
import { entryProblem, sealEntry } from '../../src/domain/seal.ts'
import { summaryOf } from '../../src/domain/summary.ts'
import { differences } from './support/compare.ts'
import type { Device } from './support/device.ts'
import { createDevice, erasePurged, readView, receive, valueOf } from './support/device.ts'
import { assistant, message, textOf, tool, user } from './support/messages.ts'
import type { Actor } from './support/operations.ts'
import * as act from './support/operations.ts'
import { missing } from './support/simulation.ts'

let writers = 0

/** Somebody in a tab, at a time that goes on by a second with each use of `now`. */
function someone(device = createDevice([], 0)): Actor {
  let now = 1_700_000_000_000
  return {
    device,
    tab: { w: ++writers },
    get now() {
      return (now += 1000)
    },
  }
}

function says(actor: Actor, ...texts: readonly string[]): readonly Entry[] {
  return texts.flatMap((text) => act.append(actor, [user(text)]))
}

function texts(
  device: Device,
  view: 'raw' | 'transcript' | 'context' = 'context',
  branch = device.rows.hot.head,
): string[] {
  return readView(device, branch, view).map((row) => textOf(valueOf(row)))
}

function syncs(...devices: readonly Device[]): void {
  for (let round = 0; round < 2; round++) {
    for (const from of devices) for (const to of devices) if (from !== to) receive(to, missing(from, to))
  }
  for (const device of devices) expect(differences(device)).toEqual([])
}

function at(entry: Entry): { branch: string; order: string } {
  return { branch: entry.branch, order: entry.order }
}

describe('a checkpoint that is restored', () => {
  it('takes the conversation back, and it goes on from there (Aixgo: 1, 2, 4)', () => {
    const me = someone()
    says(me, '1', '2')
    const saved = act.checkpoint(me)
    says(me, '3')
    act.restore(me, saved)
    says(me, '4')
    expect(texts(me.device)).toEqual(['1', '2', '4'])
    expect(texts(me.device, 'context', '')).toEqual(['1', '2', '3'])
  })

  it('can be of an empty session', () => {
    const me = someone()
    const saved = act.checkpoint(me)
    says(me, '1')
    act.restore(me, saved)
    expect(texts(me.device)).toEqual([])
    says(me, '2')
    expect(texts(me.device)).toEqual(['2'])
  })

  it('can be restored again', () => {
    const me = someone()
    says(me, '1')
    const saved = act.checkpoint(me)
    for (const text of ['2', '3']) {
      act.restore(me, saved)
      says(me, text)
      expect(texts(me.device)).toEqual(['1', text])
    }
  })

  it('can follow another one that saw less of the same place', () => {
    const [me, other] = [someone(), someone()]
    says(me, '1')
    says(other, '0')
    says(me, '2')
    const early = act.checkpoint(me)
    syncs(me.device, other.device)
    const late = act.checkpoint(me)
    act.restore(me, early)
    expect(texts(me.device)).toEqual(['1', '2'])
    act.restore(me, late)
    expect(texts(me.device).sort()).toEqual(['0', '1', '2'])
    expect(differences(me.device)).toEqual([])
  })

  it('brings back what was truncated or cleared since', () => {
    const me = someone()
    says(me, '1', '2', '3')
    const saved = act.checkpoint(me)
    act.truncate(me, 1)
    act.restore(me, saved)
    expect(texts(me.device)).toEqual(['1', '2', '3'])
    act.clear(me)
    act.restore(me, saved)
    expect(texts(me.device)).toEqual(['1', '2', '3'])
  })

  it('keeps hidden what was truncated before', () => {
    const me = someone()
    says(me, '1', '2', '3')
    act.truncate(me, 1)
    const saved = act.checkpoint(me)
    act.restore(me, saved)
    expect(texts(me.device)).toEqual(['3'])
  })

  it('leaves out what another tab appended to an older turn', () => {
    const me = someone()
    const other = someone(me.device)
    says(me, 'question 1')
    says(other, 'question 2')
    const saved = act.checkpoint(me)
    act.append(me, [assistant('answer 1')])
    expect(texts(me.device)).toEqual(['question 1', 'answer 1', 'question 2'])
    act.restore(me, saved)
    expect(texts(me.device)).toEqual(['question 1', 'question 2'])
  })

  it('leaves out what another device had written by then', () => {
    const [me, other] = [someone(), someone()]
    says(me, '1')
    says(other, 'elsewhere')
    const saved = act.checkpoint(me)
    syncs(me.device, other.device)
    act.restore(me, saved)
    expect(texts(me.device)).toEqual(['1'])
  })

  it('does not undo edits', () => {
    const me = someone()
    const [entry] = says(me, '1')
    const saved = act.checkpoint(me)
    act.edit(me, at(entry!), user('changed').data)
    act.restore(me, saved)
    expect(texts(me.device)).toEqual(['changed'])
  })
})

describe('a truncated history (PicoClaw)', () => {
  const five = (): Actor => {
    const me = someone()
    says(me, '1', '2', '3', '4', '5')
    return me
  }

  it.each([
    [-1, []],
    [0, []],
    [2, ['4', '5']],
    [5, ['1', '2', '3', '4', '5']],
    [9, ['1', '2', '3', '4', '5']],
  ])('of five messages that keeps the last %i is %j', (keepLast, kept) => {
    const me = five()
    act.truncate(me, keepLast)
    expect(texts(me.device)).toEqual(kept)
  })

  it('writes nothing when there is nothing to drop', () => {
    const me = five()
    const { size } = me.device.log
    act.truncate(me, 5)
    expect(me.device.log.size).toBe(size)
  })

  it('can be truncated again, to fewer only', () => {
    const me = five()
    for (const [keepLast, kept] of [
      [3, ['3', '4', '5']],
      [4, ['3', '4', '5']],
      [1, ['5']],
    ] as const) {
      act.truncate(me, keepLast)
      expect(texts(me.device)).toEqual(kept)
    }
  })

  it('counts messages, not other entries', () => {
    const me = someone()
    act.append(me, [user('1'), { type: 'custom', data: { text: 'x' }, at: 1 }, user('2')])
    act.truncate(me, 1)
    expect(texts(me.device)).toEqual(['2'])
  })

  it('passes over removed messages', () => {
    const me = five()
    act.edit(me, at(readView(me.device, '', 'raw')[4]!), null)
    act.truncate(me, 2)
    expect(texts(me.device)).toEqual(['3', '4'])
  })

  it('goes on with what is appended', () => {
    const me = five()
    act.truncate(me, 1)
    says(me, '6')
    expect(texts(me.device)).toEqual(['5', '6'])
  })

  it('shows what another device had written by then', () => {
    const me = five()
    const other = someone()
    says(other, 'elsewhere')
    act.truncate(me, 0)
    syncs(me.device, other.device)
    expect(texts(me.device)).toEqual(['elsewhere'])
    expect(texts(other.device)).toEqual(['elsewhere'])
  })

  it('hides with a call the result that comes later from elsewhere', () => {
    const [me, other] = [someone(), someone()]
    act.append(other, [user('question'), assistant('calls', ['c'])])
    syncs(me.device, other.device)
    act.truncate(me, 0)
    act.append(other, [tool('c')])
    syncs(me.device, other.device)
    expect(texts(other.device)).toEqual([])
  })

  it('keeps the rest of a turn that it cuts in the middle', () => {
    const me = someone()
    act.append(me, [user('question'), assistant('one'), assistant('two')])
    act.truncate(me, 1)
    act.append(me, [assistant('three')])
    expect(texts(me.device)).toEqual(['two', 'three'])
  })

  it('shows what its own tab answers next, in a new turn', () => {
    const me = someone()
    says(me, 'question')
    act.truncate(me, 0)
    act.append(me, [assistant('answer')])
    expect(texts(me.device)).toEqual(['answer'])
  })
})

describe('lines', () => {
  it('keep the old answer when it is generated again', () => {
    const me = someone()
    const [question] = says(me, 'question')
    act.append(me, [assistant('first')])
    const branch = act.openBranch(me, at(question!), true, [assistant('second')])
    expect(texts(me.device)).toEqual(['question', 'second'])
    expect(texts(me.device, 'context', '')).toEqual(['question', 'first'])
    act.switchTo(me, '')
    expect(texts(me.device)).toEqual(['question', 'first'])
    act.switchTo(me, branch)
    expect(texts(me.device)).toEqual(['question', 'second'])
  })

  it('may leave from lines, and from nothing', () => {
    const me = someone()
    const [a] = says(me, 'a', 'b')
    const first = act.openBranch(me, at(a!), true, [user('c'), user('d')])
    const [, c] = readView(me.device, first, 'raw')
    act.openBranch(me, at(c!), true, [user('e')])
    expect(texts(me.device)).toEqual(['a', 'c', 'e'])
    act.openBranch(me, { branch: '', order: '' }, true, [user('f')])
    expect(texts(me.device)).toEqual(['f'])
    expect(differences(me.device)).toEqual([])
  })

  it('are cut alone (A4)', () => {
    const me = someone()
    const [a] = says(me, 'a', 'b')
    const branch = act.openBranch(me, at(a!), true, [user('c')])
    act.truncate(me, 0)
    expect(texts(me.device)).toEqual([])
    expect(texts(me.device, 'context', '')).toEqual(['a', 'b'])
    act.switchTo(me, '')
    act.truncate(me, 0)
    act.switchTo(me, branch)
    expect(texts(me.device)).toEqual([])
  })

  it('do not feel a cut of the line they left that is younger than they are', () => {
    const me = someone()
    const [a] = says(me, 'a', 'b')
    const branch = act.openBranch(me, at(a!), true, [user('c')])
    act.truncate(me, 0, '')
    expect(texts(me.device, 'context', branch)).toEqual(['a', 'c'])
  })

  it('keep the cuts and the summary of the line they leave (A5)', () => {
    const me = someone()
    says(me, '1', '2', '3', '4')
    act.compact(me, 'one and two', 2)
    const [, , , four] = readView(me.device, '', 'raw')
    act.openBranch(me, at(four!), true, [assistant('again')])
    expect(texts(me.device)).toEqual(['3', '4', 'again'])
    expect(texts(me.device, 'transcript')).toEqual(['1', '2', '3', '4', 'again'])
    expect(summaryOf(me.device.rows.cold, lineOf(me.device.rows.cold, me.device.rows.hot.head)!)).toBe('one and two')
  })

  it('know no summary of what happened after they left', () => {
    const me = someone()
    const [one] = says(me, '1', '2', '3')
    act.compact(me, 'one', 2)
    act.compact(me, 'all', 0)
    const lines = [at(one!), at(readView(me.device, '', 'raw')[1]!), at(readView(me.device, '', 'raw')[2]!)].map(
      (fork) => act.openBranch(me, fork),
    )
    expect(lines.map((line) => texts(me.device, 'context', line))).toEqual([[], ['2'], []])
    expect(lines.map((line) => summaryOf(me.device.rows.cold, lineOf(me.device.rows.cold, line)!))).toEqual([
      'one',
      'one',
      'all',
    ])
    expect(differences(me.device)).toEqual([])
  })

  it('count what goes on elsewhere after the head was moved', () => {
    const [me, other] = [someone(), someone(createDevice([], 60_000))]
    const [question] = says(me, 'question')
    syncs(me.device, other.device)
    const branch = act.openBranch(me, at(question!), true, [assistant('again')])
    says(other, 'b1', 'b2')
    syncs(me.device, other.device)
    expect(other.device.rows.hot.head).toBe(branch)
    expect(texts(other.device)).toEqual(['question', 'again'])
    expect(me.device.rows.cold.newer).toEqual({ '': 2 })
    act.switchTo(me, '')
    expect(texts(me.device)).toEqual(['question', 'b1', 'b2'])
  })

  it('stay on the screen until the opener of the new head arrives (A7)', () => {
    const [me, other, third] = [someone(), someone(), someone()]
    const [question] = says(me, 'question')
    syncs(me.device, other.device, third.device)
    const branch = act.openBranch(other, at(question!), false, [assistant('again')])
    syncs(other.device, me.device)
    act.switchTo(me, branch)
    const [head] = missing(me.device, third.device).filter(({ type }) => type === 'head')
    receive(third.device, [head!])
    expect(texts(third.device)).toEqual(['question'])
    syncs(me.device, third.device)
    expect(texts(third.device)).toEqual(['question', 'again'])
  })

  it('show what is there while the fork point is not (A1)', () => {
    const [me, other] = [someone(), someone()]
    const [a] = says(me, 'a')
    const second = someone(me.device)
    act.openBranch(second, at(a!), true, [user('b')])
    receive(
      other.device,
      missing(me.device, other.device).filter(({ w }) => w === second.tab.w),
    )
    expect(texts(other.device)).toEqual(['b'])
    syncs(me.device, other.device)
    expect(texts(other.device)).toEqual(['a', 'b'])
  })

  it('outlive the purge of their first message (A2)', () => {
    const me = someone()
    const [a] = says(me, 'a')
    const branch = act.openBranch(me, at(a!), true, [user('b')])
    act.truncate(me, 0)
    act.switchTo(me, '')
    act.purge(me)
    act.switchTo(me, branch)
    says(me, 'c')
    expect(texts(me.device)).toEqual(['c'])
    expect(me.device.stored.size).toBe(2)
  })

  it('get the result of a call where the call was made, though the head moved (A9)', () => {
    const me = someone()
    const other = someone(me.device)
    act.append(me, [user('question'), assistant('calls', ['c'])])
    const [question] = readView(me.device, '', 'raw')
    const branch = act.openBranch(other, at(question!), true, [assistant('again')])
    const [result] = act.append(me, [tool('c')])
    expect(result!.branch).toBe('')
    expect(texts(me.device, 'context', '')).toEqual(['question', 'calls', 'result of c'])
    expect(texts(me.device, 'context', branch)).toEqual(['question', 'again'])
  })

  it('fall back to the head before when the head is deleted', () => {
    const me = someone()
    const [a] = says(me, 'a')
    const first = act.openBranch(me, at(a!), true, [user('b')])
    const second = act.openBranch(me, at(a!), true, [user('c')])
    act.deleteBranch(me, second)
    expect(me.device.rows.hot.head).toBe(first)
    act.deleteBranch(me, first)
    expect(texts(me.device)).toEqual(['a'])
    act.deleteBranch(me, first, false)
    expect(texts(me.device)).toEqual(['a', 'b'])
    expect(differences(me.device)).toEqual([])
  })

  it('do not resolve when branches leave each other in a circle', () => {
    const [x, y] = ['5.0', '6.0']
    const opener = (w: number, fork: string, hp: number): Entry =>
      sealEntry({
        w,
        s: 0,
        branch: '',
        type: 'branch',
        data: { fork: { branch: fork, order: '~' }, head: true },
        at: 1,
        clock: { hp, hc: 0 },
      })
    const me = someone()
    says(me, 'a')
    receive(me.device, [opener(5, y, 1_800_000_000_000), opener(6, x, 1_800_000_000_001)])
    expect(lineOf(me.device.rows.cold, x)).toBe(undefined)
    expect(lineOf(me.device.rows.cold, y)).toBe(undefined)
    expect(texts(me.device)).toEqual(['a'])
    expect(differences(me.device)).toEqual([])
  })

  it('do not overlap when a fork point lies after the opener', () => {
    const me = someone()
    says(me, 'a')
    const opener = sealEntry({
      w: 5,
      s: 0,
      branch: '',
      type: 'branch',
      data: { fork: { branch: '', order: '~' }, head: false },
      at: 1,
      clock: tick(me.device.rows.hot.clock, 0),
    })
    receive(me.device, [opener])
    says(me, 'b')
    act.append(me, [user('c')], '5.0')
    expect(texts(me.device, 'raw', '5.0')).toEqual(['a', 'c'])
    expect(differences(me.device)).toEqual([])
  })
})

describe('an edit', () => {
  it('replaces, removes and brings back', () => {
    const me = someone()
    const [entry] = says(me, 'a')
    for (const [value, shown] of [
      [user('b').data, ['b']],
      [null, []],
      [user('c').data, ['c']],
    ] as const) {
      act.edit(me, at(entry!), value)
      expect(texts(me.device)).toEqual(shown)
    }
  })

  it('waits for its target', () => {
    const [me, other, third] = [someone(), someone(), someone()]
    const [entry] = says(me, 'a')
    syncs(me.device, other.device)
    act.edit(other, at(entry!), user('b').data)
    receive(
      third.device,
      missing(other.device, third.device).filter(({ type }) => type === 'edit'),
    )
    expect(texts(third.device)).toEqual([])
    syncs(me.device, third.device)
    expect(texts(third.device)).toEqual(['b'])
  })

  it('wins by its clock, whatever comes first', () => {
    const [me, other] = [someone(), someone(createDevice([], 60_000))]
    const [entry] = says(me, 'a')
    syncs(me.device, other.device)
    act.edit(other, at(entry!), user('later').data)
    act.edit(me, at(entry!), user('earlier').data)
    syncs(me.device, other.device)
    expect([texts(me.device), texts(other.device)]).toEqual([['later'], ['later']])
  })

  it('shows on every line', () => {
    const me = someone()
    const [entry] = says(me, 'a')
    const branch = act.openBranch(me, at(entry!))
    act.edit(me, at(entry!), user('b').data)
    expect([texts(me.device, 'context', ''), texts(me.device, 'context', branch)]).toEqual([['b'], ['b']])
  })
})

describe('a deleted session', () => {
  it('stays deleted when entries come late', () => {
    const [me, other] = [someone(), someone()]
    says(me, 'a')
    says(other, 'late')
    act.deleteSession(me)
    syncs(me.device, other.device)
    expect([me, other].map(({ device }) => device.rows.cold.deletion?.deleted)).toEqual([true, true])
  })

  it('comes back as it was', () => {
    const me = someone()
    says(me, 'a')
    act.deleteSession(me)
    act.undelete(me)
    expect(me.device.rows.hot.deletedAt).toBe(undefined)
    expect(texts(me.device)).toEqual(['a'])
  })

  it('starts afresh without the old content', () => {
    const me = someone()
    says(me, 'a')
    act.deleteSession(me)
    act.startAfresh(me, [user('b')])
    expect(me.device.rows.cold.deletion?.deleted).toBe(false)
    expect(texts(me.device)).toEqual(['b'])
  })

  it('is as the later of two devices left it', () => {
    const [me, other] = [someone(), someone(createDevice([], 60_000))]
    says(me, 'a')
    syncs(me.device, other.device)
    act.deleteSession(me)
    act.deleteSession(other)
    act.undelete(other)
    syncs(me.device, other.device)
    expect(me.device.rows.cold.deletion?.deleted).toBe(false)
  })
})

describe('a clock', () => {
  it.each([
    [clockLimit, 'its clock is out of range'],
    [2 ** 48 - 1, 'its clock is out of range'],
    [clockLimit - 1, undefined],
  ])('of %i ms is taken in or refused', (hp, problem) => {
    expect(entryProblem(sealEntry({ w: 1, s: 0, branch: '', ...user('a'), clock: { hp, hc: 0 } }))).toBe(problem)
  })

  it('from the far future never keeps anybody from writing (A8)', () => {
    const me = someone()
    receive(me.device, [sealEntry({ w: 5, s: 0, branch: '', ...user('future'), clock: { hp: clockLimit - 1, hc: 0 } })])
    const [entry] = says(me, 'a')
    expect(entryProblem(entry!)).toBe(undefined)
    expect(texts(me.device)).toEqual(['future', 'a'])
  })

  it('that stands still carries into the next millisecond', () => {
    expect(tick({ hp: 5, hc: 2 ** 18 - 1 }, 5)).toEqual({ hp: 6, hc: 0 })
    expect(tick({ hp: 5, hc: 3 }, 5)).toEqual({ hp: 5, hc: 4 })
  })

  it('that goes back keeps the order of writing', () => {
    const device = createDevice([], 0)
    const tab = { w: 77 }
    act.append({ device, tab, now: 9_000 }, [user('a')])
    act.append({ device, tab, now: 1_000 }, [user('b')])
    expect(texts(device)).toEqual(['a', 'b'])
  })

  it.each([0, -5, Number.NaN, 0.5, Number.MAX_VALUE])('that says %d still gives valid entries', (now) => {
    const device = createDevice([], 0)
    const [entry] = act.append({ device, tab: { w: 77 }, now }, [user('a')])
    expect(entryProblem(entry!)).toBe(undefined)
  })
})

describe('two tabs or devices', () => {
  it('interleave turns, not messages: an answer stands before the younger question of the other tab', () => {
    const me = someone()
    const other = someone(me.device)
    says(me, 'question 1')
    says(other, 'question 2')
    act.append(me, [assistant('answer 1')])
    act.append(other, [assistant('answer 2')])
    expect(texts(me.device)).toEqual(['question 1', 'answer 1', 'question 2', 'answer 2'])
  })

  it('that save everything double nothing', () => {
    const [me, other] = [someone(), someone()]
    act.append(me, ['1', '2', '3', '4'].map(user))
    syncs(me.device, other.device)
    const last = ['3', '4'].map((text) => ({ role: 'user', content: text }))
    act.setHistory(me, last)
    act.setHistory(other, last)
    syncs(me.device, other.device)
    expect(texts(me.device)).toEqual(['3', '4'])
  })

  it('that purge and regenerate at once agree (A6)', () => {
    const [me, other] = [someone(), someone()]
    const [one] = act.append(me, ['1', '2', '3'].map(user))
    syncs(me.device, other.device)
    act.truncate(me, 0)
    act.purge(me)
    act.openBranch(other, at(one!), true, [user('x')])
    syncs(me.device, other.device)
    for (const { device } of [me, other]) erasePurged(device)
    syncs(me.device, other.device)
    expect([texts(me.device), texts(other.device)]).toEqual([['x'], ['x']])
  })

  it('that promote an alias copy its entries as they are, so that nothing doubles', () => {
    const [me, other, alias] = [someone(), someone(), someone()]
    says(alias, 'p1', 'p2')
    const promoted = [...alias.device.log.values()]
    receive(me.device, promoted)
    receive(other.device, promoted)
    says(me, 'c1')
    says(other, 'd1')
    syncs(me.device, other.device)
    expect(texts(me.device).sort()).toEqual(['c1', 'd1', 'p1', 'p2'])
    expect(texts(other.device)).toEqual(texts(me.device))
  })

  it('that write a summary lose no answer that it does not cover', () => {
    const [me, other] = [someone(), someone()]
    act.append(other, [user('question')])
    syncs(me.device, other.device)
    act.append(other, [assistant('answer')])
    says(me, 'more')
    act.compact(me, 'the question', 0)
    syncs(me.device, other.device)
    expect(texts(me.device)).toEqual(['answer'])
    expect(texts(me.device, 'transcript')).toEqual(['question', 'answer', 'more'])
  })

  it('have the later of a compaction and a summary', () => {
    const me = someone()
    const summary = (): string => summaryOf(me.device.rows.cold, lineOf(me.device.rows.cold, '')!)
    says(me, 'a', 'b')
    act.setMeta(me, { summary: 'first' })
    act.compact(me, 'second', 1)
    expect(summary()).toBe('second')
    act.setMeta(me, { summary: 'third' })
    expect(summary()).toBe('third')
    act.clear(me)
    expect(summary()).toBe('')
  })
})

describe('a history that is set', () => {
  const set = (me: Actor, ...list: readonly string[]): void =>
    act.setHistory(
      me,
      list.map((content) => ({ role: 'user', content })),
    )

  it('writes only what is new', () => {
    const me = someone()
    set(me, '1', '2')
    set(me, '1', '2', '3')
    expect(me.device.log.size).toBe(3)
    set(me, '1', '2', '3')
    expect(me.device.log.size).toBe(3)
    expect(texts(me.device)).toEqual(['1', '2', '3'])
  })

  it.each([
    [['1', '2', '3'], ['2', '3'], 1],
    [['1', '2', '3'], ['1', '3'], 1],
    [['1', '2', '3'], ['1', '2'], 1],
    [['1', '2', '3'], ['1', '2', '4'], 2],
    [['1', '2', '3'], ['3', '4'], 2],
    [['1', '2', '3'], ['4', '5'], 3],
    [['1', '2', '3'], [], 1],
    [['1', '1', '1'], ['1', '1'], 1],
  ])('from %j to %j takes %i entries', (from, to, entries) => {
    const me = someone()
    set(me, ...from)
    const { size } = me.device.log
    set(me, ...to)
    expect(texts(me.device)).toEqual(to)
    expect(me.device.log.size - size).toBe(entries)
    expect(differences(me.device)).toEqual([])
  })

  it('shows too much, never nothing, while its entries arrive', () => {
    const [me, other] = [someone(), someone()]
    set(me, '1', '2')
    syncs(me.device, other.device)
    set(me, '3', '4')
    const arriving = missing(me.device, other.device)
    for (const entry of arriving.slice(0, -1)) {
      receive(other.device, [entry])
      expect(texts(other.device).slice(0, 2)).toEqual(['1', '2'])
    }
    receive(other.device, arriving.slice(-1))
    expect(texts(other.device)).toEqual(['3', '4'])
  })
})

describe('an entry from elsewhere', () => {
  const good = { w: 5, s: 1, branch: '', ...message({ role: 'user', content: 'a' }), clock: { hp: 9, hc: 0 } }
  const turn = { hp: 8, hc: 0, w: 5, s: 0 }
  const sealed = (change: object): Entry => sealEntry({ ...good, ...change })

  it.each<[string, Entry]>([
    ['is no safe integer', sealed({ w: 2 ** 53 })],
    ['is a control entry in a turn', sealed({ type: 'head', data: { branch: '' }, turn })],
    ['names a run without a turn', sealed({ run: { hp: 9, hc: 0 } })],
    ['continues a turn of another writer in its first run', sealed({ turn: { ...turn, w: 6 } })],
    ['is older than its turn', sealed({ turn: { ...turn, hp: 10 } })],
    ['has a run after itself', sealed({ turn, run: { hp: 10, hc: 0 } })],
    ['has a run before its turn', sealed({ turn, run: { hp: 7, hc: 0 } })],
    ['lies about its order', { ...sealed({}), order: sealed({ clock: { hp: 10, hc: 0 } }).order }],
    ['was changed', { ...sealed({}), data: message({ role: 'user', content: 'b' }).data }],
    ['says another time', { ...sealed({}), at: 7 }],
    ['names a branch that is no entry', sealed({ branch: 'constructor' })],
    ['moves the head to a branch that is no entry', sealed({ type: 'head', data: { branch: '__proto__' } })],
    [
      'forks a branch that is no entry',
      sealed({ type: 'branch', data: { fork: { branch: 'toString', order: '' }, head: true } }),
    ],
    ['restores a branch that is no entry', sealed({ type: 'checkpoint', data: { branch: 'x', order: '', vv: {} } })],
    ['purges a writer that is none', sealed({ type: 'purge', data: { ranges: { constructor: [[0, 1]] } } })],
    ['cuts a writer that is none', sealed({ type: 'cut', data: { order: '~', vv: { toString: 1 } } })],
    ['edits a branch that is no entry', sealed({ type: 'edit', data: { branch: 'x', order: '', value: null } })],
  ])('that %s is refused', (_, entry) => {
    expect(entryProblem(entry)).toBeTypeOf('string')
  })

  it.each<[string, Entry]>([
    ['opens a turn', sealed({})],
    ['continues its own', sealed({ turn })],
    ['continues another one in a run of its own', sealed({ turn: { ...turn, w: 6 }, run: { hp: 9, hc: 0 } })],
    ['is on a branch', sealed({ branch: '5.0' })],
    ['has a type nobody knows', sealed({ type: 'new' })],
  ])('that %s is taken', (_, entry) => {
    expect(entryProblem(entry)).toBe(undefined)
  })
})
