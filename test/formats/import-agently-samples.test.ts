import { existsSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { given, openStore, take, textOf } from './support/agently-files.ts'

/** Real exports, which are not part of this repository: they lie beside its checkout. */
const path = (as: string): string =>
  fileURLToPath(new URL(`../../../shared/samples/agently-export.${as}`, import.meta.url))
const isThere = existsSync(path('json')) && existsSync(path('yaml'))
const sampleId = '7ceb7cd240024477bb5e3db8211f616b'

it.skipIf(!isThere).each(['json', 'yaml'] as const)(
  isThere
    ? 'a real export comes in and goes out again, byte for byte (%s)'
    : 'a real export comes in and goes out again (%s; skipped: there is no ../shared/samples/agently-export)',
  async (as) => {
    const text = readFileSync(path(as), 'utf8')
    const store = openStore()
    expect(await take(store, text)).toEqual({
      keys: [`agently:${sampleId}`],
      added: 3,
      known: 0,
      skipped: [],
      skippedCount: 0,
      leftDeleted: [],
    })
    expect(await textOf(store, sampleId, as)).toBe(text)
    expect(await given(store, sampleId)).toEqual(JSON.parse(readFileSync(path('json'), 'utf8')))
  },
)
