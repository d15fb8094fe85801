import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import type { SourceFile } from '../../src/contract/job.ts'
import { importFiles } from '../../src/files/import-files.ts'
import { openStore } from './support/foreign-exports.ts'

/** Real logs and directories, which are not part of this repository: they lie beside its checkout. */
const directory = fileURLToPath(new URL('../../../shared/samples/', import.meta.url))
const isThere = existsSync(directory)

it.skipIf(!isThere)(
  isThere
    ? 'real files of many apps are told from each other'
    : 'real files of many apps are told from each other (skipped: there is no ../shared/samples)',
  async () => {
    const sources = readdirSync(directory, { recursive: true, encoding: 'utf8' })
      .filter((path) => statSync(`${directory}${path}`).isFile() && !path.endsWith('large-session.jsonl'))
      .map((path): SourceFile => ({ path, blob: new Blob([readFileSync(`${directory}${path}`)]) }))
    const store = openStore()
    const report = await importFiles(store, sources)
    expect(report.sessions.filter(({ dialect }) => dialect === 'pi').map(({ file }) => file)).toEqual(['tree-v3.jsonl'])
    expect(report.sessions.filter(({ dialect }) => dialect === 'picoclaw').map(({ key }) => key)).toEqual(
      expect.arrayContaining(['telegram:123', 'truncated', 'crash_torn_tail', 'corrupt_middle', 'crash_stale_count']),
    )
    expect(await store.getSummary('truncated')).toBe('first six messages')
    expect(new Set(report.sessions.map(({ dialect }) => dialect))).toEqual(
      new Set(['pi', 'picoclaw', 'aixgo', 'agently']),
    )
    expect(report.skipped.some(({ file }) => file?.endsWith('broken_legacy.json'))).toBe(true)
    expect(await importFiles(store, sources)).toMatchObject({ added: 0, known: report.added })
  },
)
