import { existsSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import type { JsonObject } from '../../src/contract/json.ts'
import { importPi } from '../../src/dialects/pi/format/import-pi.ts'
import { createSessionStore } from '../../src/storage/create-session-store.ts'
import { createMemoryBackend } from '../../src/storage/memory-backend.ts'
import { inPieces } from './support/pi-file.ts'

/** Real logs, which are not part of this repository: they lie beside its checkout. */
const pathOf = (name: string): string => fileURLToPath(new URL(`../../../shared/samples/${name}`, import.meta.url))

const linesOf = (name: string): JsonObject[] =>
  readFileSync(pathOf(name), 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as JsonObject)

const open = () => createSessionStore(createMemoryBackend(), {})
const load = (name: string) => inPieces(readFileSync(pathOf(name)), 64 * 1024)

function sample(name: string, test: () => Promise<void>): void {
  const isThere = existsSync(pathOf(name))
  it.skipIf(!isThere)(
    isThere ? `${name} comes in whole` : `${name} comes in whole (skipped: there is no ../shared/samples/${name})`,
    test,
  )
}

describe('the real log', () => {
  sample('large-session.jsonl', async () => {
    const lines = linesOf('large-session.jsonl')
    const store = open()
    const report = await importPi(store, load('large-session.jsonl'))
    const key = `pi:${lines[0]!['id'] as string}`
    expect(report).toEqual({
      keys: [key],
      added: lines.length - 1,
      known: 0,
      skipped: [],
      skippedCount: 0,
      leftDeleted: [],
    })

    const { entries } = await store.read(key, { view: 'raw', after: '', limit: 4096 })
    expect(entries).toHaveLength(lines.length - 1)
    entries.forEach(({ type, at, mid, message, data }, i) => {
      const { type: theirs, timestamp, ...rest } = lines[i + 1]!
      expect({ type, at, mid, ...(message === undefined ? data : { message }) }).toEqual({
        type: theirs,
        at: Date.parse(timestamp as string),
        mid: `line-${i + 2}`,
        ...rest,
      })
    })
    expect(await store.getHistory(key)).toEqual(
      lines.filter(({ type }) => type === 'message').map(({ message }) => message),
    )
    const { type: _, id, ...fields } = lines[0]!
    expect(await store.getMeta(key)).toMatchObject({
      id,
      aliases: [id],
      custom: { pi: fields },
      title: '/mode',
      titleSource: 'auto',
    })

    const before = await store.changes(key)
    expect(await importPi(store, load('large-session.jsonl'))).toMatchObject({ added: 0, known: lines.length - 1 })
    expect(await store.changes(key)).toEqual(before)
    expect((await store.verify()).problems).toEqual([])
  })

  sample('tree-v3.jsonl', async () => {
    const lines = linesOf('tree-v3.jsonl')
    const store = open()
    const key = `pi:${lines[0]!['id'] as string}`
    expect(await importPi(store, load('tree-v3.jsonl'))).toMatchObject({
      keys: [key],
      added: lines.length - 1,
      skippedCount: 0,
      leftDeleted: [],
    })
    const pathTo = (leaf: string): string[] => {
      const line = lines.find(({ id }) => id === leaf)
      return line === undefined ? [] : [...pathTo(line['parentId'] as string), leaf]
    }
    const isCompaction = (id: string): boolean =>
      lines.some((line) => line['id'] === id && line['type'] === 'compaction')
    const shown = async (branch: string): Promise<unknown> =>
      (await store.read(key, { view: 'raw', branch, after: '', limit: 1000 })).entries.map(({ mid }) => mid)
    const [main, other] = await store.listBranches(key)
    expect(await shown(main!.id)).toEqual(pathTo('65ddfc46').filter((id) => !isCompaction(id)))
    expect(await shown(other!.id)).toEqual(pathTo('b50334be'))
    expect(other?.isHead).toBe(true)
    expect(await store.getMeta(key)).toMatchObject({ title: 'Refactor auth', summary: '' })
    const context = (await store.read(key, { view: 'context', branch: '', after: '', limit: 1000 })).entries
    expect(context[0]?.mid).toBe('619477f4')
    await store.switchBranch(key, '')
    expect(await store.getSummary(key)).toBe('Compacted history')
  })
})
