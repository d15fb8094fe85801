import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { ImportReport, SourceFile } from '../../../src/contract/job.ts'
import type { JsonObject } from '../../../src/contract/json.ts'
import type { SessionStore } from '../../../src/contract/store/session-store.ts'
import { exportPicoClaw } from '../../../src/dialects/picoclaw/format/export-picoclaw.ts'
import { type ImportPicoClawOptions, importPicoClaw } from '../../../src/dialects/picoclaw/format/import-picoclaw.ts'
import { createSessionStore } from '../../../src/storage/create-session-store.ts'
import { createMemoryBackend } from '../../../src/storage/memory-backend.ts'

/** The files of a PicoClaw directory, by path. */
export type Files = Readonly<Record<string, string>>

export const sourceOf = (files: Files): SourceFile[] =>
  Object.entries(files).map(([path, text]) => ({ path, blob: new Blob([text]) }))

/** The n-th minute of a session, with digits that a JavaScript date loses. */
export const timeAt = (n: number): string =>
  `2026-01-01T10:${String(n).padStart(2, '0')}:00.${String(100_000_000 + n * 1_111_111).replace(/0+$/, '')}Z`

export const says = (n: number, role = n % 2 === 0 ? 'user' : 'assistant'): JsonObject => ({
  role,
  content: `msg ${n}`,
  created_at: timeAt(n),
})

/** Messages `from` up to `to`. */
export const talk = (to: number, from = 0): JsonObject[] => Array.from({ length: to - from }, (_, i) => says(from + i))

export const logOf = (lines: readonly (JsonObject | string | null)[]): string =>
  lines.map((line) => `${typeof line === 'string' ? line : JSON.stringify(line)}\n`).join('')

export const metaOf = (key: string, fields: JsonObject = {}): string =>
  JSON.stringify(
    {
      key,
      summary: '',
      skip: 0,
      count: 0,
      created_at: '2026-01-01T10:00:00.000000001Z',
      updated_at: '2026-01-01T11:00:00.123456789Z',
      ...fields,
    },
    null,
    2,
  )

export const openStore = (now = () => Date.UTC(2026, 8, 1)): SessionStore =>
  createSessionStore(createMemoryBackend(), { now })

export const importFiles = (
  store: SessionStore,
  files: Files,
  options?: ImportPicoClawOptions,
): Promise<ImportReport> => importPicoClaw(store, sourceOf(files), options)

/** Everything a store exports, as text. */
export async function exported(store: SessionStore, keys?: readonly string[]): Promise<Record<string, string>> {
  const files: Record<string, string> = {}
  for await (const { path, blob } of exportPicoClaw(store, keys === undefined ? {} : { keys }))
    files[path] = await blob.text()
  return files
}

/** What a model gets of a session. */
export const contents = async (store: SessionStore, key: string): Promise<readonly unknown[]> =>
  (await store.getHistory(key)).map(({ content }) => content)

export function readDirectory(path: string): Files {
  return Object.fromEntries(readdirSync(path).map((name) => [name, readFileSync(join(path, name), 'utf8')]))
}
