import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Entry } from '../../src/contract/entry.ts'
import { exportTree } from '../../src/domain/export-tree.ts'
import type { SessionFold } from '../../src/domain/fold.ts'
import { foldEntries, foldView } from '../../src/domain/fold.ts'
import { importTree } from '../../src/domain/import-tree.ts'
import { lineAt, segmentOf } from '../../src/domain/line.ts'
import { entryProblem } from '../../src/domain/seal.ts'
import { contextAt } from '../support/context-at.ts'
import { differences } from './support/compare.ts'
import { createDevice, receive } from './support/device.ts'
import { holds, patience, report } from './support/laws.ts'
import { assistant, user } from './support/messages.ts'
import { append } from './support/operations.ts'
import type { PiContext, PiEntry } from './support/pi-session.ts'
import { buildSessionContext, hasCircle, isSent, nodeOf, piFiles, stateOf } from './support/pi-session.ts'
import { pieces, shuffledBySender } from './support/shuffle.ts'

function importFile(file: readonly PiEntry[], known?: ReadonlyMap<string, Entry>): readonly Entry[] {
  return importTree('session 1', file.map(nodeOf), known)
}

/** Every entry that stands for a line of the file, with the name of the line it hangs from. */
function exported(entries: readonly Entry[]): PiEntry[] {
  const { cold, rows } = foldEntries(entries)
  const all = [...rows, ...entries.filter(({ type }) => type === 'compaction')]
  return exportTree(cold, all).map(({ entry, parent, parentId }) => {
    const { mid, order, vv, ...data } = entry.data
    return {
      id: mid as string,
      parentId: (parent?.data['mid'] as string | undefined) ?? parentId ?? null,
      type: entry.type,
      data,
    }
  })
}

function bare({ id, parentId, type, data }: PiEntry): PiEntry {
  return { id, parentId, type, data }
}

function contextOf(fold: SessionFold, entry: Entry): PiContext {
  const { compaction, rows } = contextAt(fold.cold, fold.rows, entry)
  const line = lineAt(fold.cold, { branch: entry.branch, order: entry.order, cuts: entry.order })!
  const sent = rows.filter(isSent).map(({ data }) => data['mid'] as string)
  return {
    sent: [...(compaction === undefined ? [] : [compaction.data['mid'] as string]), ...sent],
    ...stateOf(fold.rows.filter((row) => segmentOf(line, row) >= 0)),
  }
}

function byMid(entries: readonly Entry[]): Map<string, Entry> {
  return new Map(
    entries.flatMap((entry) => (typeof entry.data['mid'] === 'string' ? [[entry.data['mid'], entry]] : [])),
  )
}

function isParentFirst(file: readonly PiEntry[]): boolean {
  return file.every(({ parentId }, i) => file.findIndex(({ id }) => id === parentId) < i)
}

describe('a foreign tree that is imported', { timeout: patience }, () => {
  it('comes out with the same entries and parents, in the same order when parents come first', () => {
    const counts = { files: 0, entries: 0, compactions: 0, 'files with a circle': 0 }
    holds(
      { quick: 300, full: 23_000 },
      fc.property(piFiles(true), (file) => {
        const out = exported(importFile(file))
        const sorted = (list: readonly PiEntry[]): PiEntry[] =>
          [...list].map(bare).sort((a, b) => (a.id < b.id ? -1 : 1))
        expect(sorted(out)).toEqual(sorted(file))
        if (isParentFirst(file)) expect(out.map(({ id }) => id)).toEqual(file.map(({ id }) => id))
        counts.files += 1
        counts.entries += file.length
        counts.compactions += file.filter(({ type }) => type === 'compaction').length
        if (hasCircle(file)) counts['files with a circle'] += 1
      }),
    )
    report('trees', counts)
  })

  it('gives a model the same context at every entry as pi does', () => {
    const counts = { contexts: 0 }
    holds(
      { quick: 300, full: 23_000 },
      fc.property(piFiles(true), (file) => {
        const entries = importFile(file)
        const fold = foldEntries(entries)
        const found = byMid(entries)
        for (const { id } of file) expect(contextOf(fold, found.get(id)!)).toEqual(buildSessionContext(file, id))
        counts.contexts += file.length
      }),
    )
    report('contexts', counts)
  })

  it('has the last entry of the file at the end of the head line', () => {
    holds(
      { quick: 300, full: 20_000 },
      fc.property(piFiles(true), (file) => {
        const entries = importFile(file)
        const fold = foldEntries(entries)
        const leaf = byMid(entries).get(file.at(-1)!.id)!
        const raw = foldView(fold, fold.head, 'raw')
        if (leaf.type !== 'compaction') expect(raw.at(-1)?.order).toBe(leaf.order)
        const { sent } = buildSessionContext(file, file.at(-1)!.id)
        const summaries = new Set(file.filter(({ type }) => type === 'compaction').map(({ id }) => id))
        expect(
          foldView(fold, fold.head, 'context')
            .filter(isSent)
            .map(({ data }) => data['mid']),
        ).toEqual(sent.filter((id) => !summaries.has(id)))
      }),
    )
  })

  it('is made of valid entries, each with a place of its own', () => {
    holds(
      { quick: 300, full: 20_000 },
      fc.property(piFiles(true), (file) => {
        const entries = importFile(file)
        for (const entry of entries) expect(entryProblem(entry)).toBe(undefined)
        expect(entries.map(({ s }) => s)).toEqual(entries.map((_, i) => i))
        expect(new Set(entries.map(({ order }) => order)).size).toBe(entries.length)
      }),
    )
  })

  it('adds nothing the second time, and the same on every device', () => {
    holds(
      { quick: 200, full: 10_000 },
      fc.property(piFiles(true), (file) => {
        const entries = importFile(file)
        expect(importFile(structuredClone(file))).toEqual(entries)
        expect(importFile(file, byMid(entries))).toEqual([])
      }),
    )
  })

  it('adds only what is new when the file grew, and then shows the whole file', () => {
    const counts = { files: 0 }
    holds(
      { quick: 300, full: 20_000 },
      fc.property(piFiles(false), fc.array(fc.nat(40), { minLength: 1, maxLength: 3 }), (drawn, cuts) => {
        const file = drawn.filter(
          ({ parentId }, i) => parentId === null || drawn.findIndex(({ id }) => id === parentId) < i,
        )
        let entries: readonly Entry[] = []
        for (const length of [...cuts.sort((a, b) => a - b), file.length])
          entries = [...entries, ...importFile(file.slice(0, length), byMid(entries))]
        expect(exported(entries).map(bare)).toEqual(file.map(bare))
        const fold = foldEntries(entries)
        const found = byMid(entries)
        expect(found.size).toBe(file.length)
        for (const { id } of file) expect(contextOf(fold, found.get(id)!)).toEqual(buildSessionContext(file, id))
        const leaf = found.get(file.at(-1)!.id)!
        if (leaf.type !== 'compaction') expect(foldView(fold, fold.head, 'raw').at(-1)?.order).toBe(leaf.order)
        counts.files += 1
      }),
    )
    report('grown files', counts)
  })

  it('never gives two different entries one address, whatever was there before', () => {
    holds(
      { quick: 200, full: 10_000 },
      fc.property(piFiles(false), fc.nat(40), fc.nat(40), (file, here, there) => {
        const grow = (length: number): Entry[] => {
          const first = importFile(file.slice(0, length))
          return [...first, ...importFile(file, byMid(first))]
        }
        const known = new Map<string, Entry>()
        for (const entry of [...grow(here), ...grow(there)]) {
          const id = `${entry.w} ${entry.s}`
          expect(known.get(id) ?? entry).toEqual(entry)
          known.set(id, entry)
        }
      }),
    )
  })

  it('is kept current like anything else, and goes on with local turns', () => {
    holds(
      { quick: 150, full: 10_000 },
      fc.property(piFiles(true), fc.nat(), (file, seed) => {
        const device = createDevice([], 0)
        for (const piece of pieces(shuffledBySender(importFile(file), seed), 6, seed)) receive(device, piece)
        expect(differences(device)).toEqual([])
        const actor = { device, tab: { w: 1 }, now: 1_700_000_000_000 }
        append(actor, [assistant('goes on'), user('asks'), assistant('answers')])
        expect(differences(device)).toEqual([])
      }),
    )
  })
})
