import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { importsOf } from '../support/imports.ts'
import { type Consumer, createConsumer } from './consumer.ts'

const DIALECTS = ['pi.js', 'picoclaw.js', 'agently.js', 'aixgo.js', 'chat.js']

let app: Consumer
beforeAll(async () => void (app = await createConsumer()))
afterAll(() => app?.remove())

const read = (file: string): string => readFileSync(join(app.installed, 'dist', file), 'utf8')

/** A file whose name has the hash of its content: a worker's script, or what is loaded later. */
function fileOf(name: string): string {
  const files = readdirSync(join(app.installed, 'dist')).filter((file) => file.startsWith(`${name}-`))
  expect(files).toHaveLength(1)
  return files[0]!
}
const gzipped = (code: string): number => gzipSync(code).length

/**
 * What a page loads with an entry, or with several files, and later where asked: its code, each chunk once, and the
 * packages it leaves to the app.
 */
function loadedWith(
  entry: string | readonly string[],
  kinds: readonly string[] = ['static'],
): { code: string; packages: string[] } {
  const chunks = new Map<string, string>()
  const packages: string[] = []
  const load = (file: string): void => {
    if (chunks.has(file)) return
    const code = read(file)
    chunks.set(file, code)
    for (const { from, kind } of importsOf(code)) {
      if (!kinds.includes(kind)) continue
      if (from.startsWith('./')) load(from.slice(2))
      else packages.push(from)
    }
  }
  for (const file of [entry].flat()) load(file)
  return { code: [...chunks.values()].join('\n'), packages }
}

it('costs a page at most 6 kB (6,050 bytes), and neither Dexie nor zod', () => {
  const { code, packages } = loadedWith('index.js')
  expect(packages).toEqual([])
  expect(gzipped(code)).toBeLessThanOrEqual(6_050)
})

it('costs a page at most 3.35 kB more while a worker starts', () => {
  const { code, packages } = loadedWith(['index.js', fileOf('create-worker-store')])
  expect(packages).toEqual([])
  expect(gzipped(code) - gzipped(loadedWith('index.js').code)).toBeLessThanOrEqual(3_350)
})

// Beside the framework, and the client that an app has anyway.
it.each([
  ['react.js', ['react'], 1_900],
  ['vue.js', ['vue'], 1_300],
  ['svelte.js', [], 1_300],
  ['solid.js', ['solid-js'], 1_300],
] as const)(
  'costs a page that has the client, for %s, no package but %j and at most %i bytes',
  (entry, needed, limit) => {
    const { code, packages } = loadedWith(entry)
    expect(packages).toEqual(needed)
    const client = loadedWith('index.js').code
    expect(gzipped([client, code].join('\n')) - gzipped(client)).toBeLessThanOrEqual(limit)
  },
)

it('marks the entry for React as code of the page, for servers that render components', () => {
  expect(read('react.js')).toMatch(/^"use client";/)
})

it('costs a page that asks for identity at most 8 kB more, and no package', () => {
  const { code, packages } = loadedWith('identity.js')
  expect(packages).toEqual([])
  expect(gzipped(code)).toBeLessThanOrEqual(8_000)
})

it('loads nothing of Yjs, now or later, where sync is not imported', () => {
  const ever = ['static', 'lazy']
  expect(loadedWith('sync.js', ever).packages).toContain('yjs')
  for (const entry of ['index.js', 'direct.js', 'context.js', 'identity.js', ...DIALECTS])
    expect(loadedWith(entry, ever).packages).not.toContain('yjs')
})

// Functions of at most 60 lines cost 0.3 kB of it.
it('costs a page whose worker syncs at most 8.3 kB, and nothing of Yjs', () => {
  const { code, packages } = loadedWith('sync.js')
  expect(packages).toEqual([])
  expect(gzipped(code)).toBeLessThanOrEqual(8_300)
})

// To begin a reply before the model does, and to follow one that begins again, costs 0.2 kB.
it('costs a page with a chat of the AI SDK at most 7.4 kB, and no package', () => {
  const { code } = loadedWith('ai-sdk.js')
  expect(gzipped(code)).toBeLessThanOrEqual(7_400)
  expect(loadedWith('ai-sdk.js', ['static', 'lazy']).packages).toEqual([])
})

it("costs a page with an agent of OpenAI's SDK at most 3 kB more, and no package", () => {
  const { code, packages } = loadedWith('openai-agents.js', ['static', 'lazy'])
  expect(packages).toEqual([])
  expect(gzipped(code)).toBeLessThanOrEqual(3_000)
})

// Beside the client that an app has anyway, and what all adapters share.
it.each([
  ['langgraph.js', 4_096],
  ['langchain.js', 1_000],
])('costs a page that has the client, for %s, at most %i bytes more, and no package', (entry, limit) => {
  expect(loadedWith(entry, ['static', 'lazy']).packages).toEqual([])
  const client = [loadedWith('index.js').code, read(fileOf('encode-values'))].join('\n')
  expect(gzipped([client, read(entry)].join('\n')) - gzipped(client)).toBeLessThanOrEqual(limit)
})

// 0.7 kB of each encode dates and bytes. Of assistant-ui, 0.9 kB are files as blobs and URLs, and 0.05 kB know whether a
// branch shows what its parent shows.
it.each([
  ['ag-ui.js', 3_330],
  ['tanstack-ai.js', 3_310],
  ['assistant-ui.js', 4_850],
] as const)('costs a page that has the client, for %s, at most %i bytes more, and no package', (entry, limit) => {
  const { code, packages } = loadedWith(entry, ['static', 'lazy'])
  expect(packages).toEqual([])
  const client = loadedWith('index.js').code
  expect(gzipped([client, code].join('\n')) - gzipped(client)).toBeLessThanOrEqual(limit)
})

it('costs a page that opens the inspector at most 40 kB, no package, and nothing where it is not imported', () => {
  const { code, packages } = loadedWith('inspector.js', ['static', 'lazy'])
  expect(packages).toEqual([])
  expect(gzipped(code)).toBeLessThanOrEqual(40_000)
  for (const entry of ['index.js', 'direct.js', 'sync.js', 'react.js'])
    expect(loadedWith(entry, ['static', 'lazy']).code).not.toContain('keepsession-inspector')
})

// A Service Worker has neither, and the dialects have to run there.
it.each(DIALECTS)('keeps workers and `import()` out of %s, which needs no package', (entry) => {
  const { code, packages } = loadedWith(entry)
  expect(packages).toEqual([])
  expect(code).not.toMatch(/new Worker\b/)
  expect(importsOf(code).filter(({ kind }) => kind === 'lazy')).toEqual([])
})

it.each(['types.js', 'store.js'])(
  'costs a page that imports %s at most 1 kB: it has types, and the errors',
  (entry) => {
    const { code, packages } = loadedWith(entry)
    expect(packages).toEqual([])
    expect(gzipped(code)).toBeLessThanOrEqual(1_000)
  },
)

it('makes no page load SHA-256 that does not ask for identity', () => {
  const words = ['1116352408', '0x428a2f98']
  expect(words.filter((word) => loadedWith('identity.js').code.includes(word))).not.toEqual([])
  expect(words.filter((word) => loadedWith('index.js').code.includes(word))).toEqual([])
})

// What the session worker does seldom, as making damaged rows again, it leaves to the job worker.
it.each([
  // 6 kB of it are the sums by which a line of a million messages is counted as fast as one of a thousand.
  // Cutting its long functions into named ones cost 0.6 kB, and about one per cent of the other workers.
  // 5 kB are the journal. What it needs of a commit costs 0.3 kB in each worker.
  // 2.8 kB are the collections: their checks, and reading, writing and sealing their rows. 1.2 kB more write them to the
  // mirror and erase there what was replaced. 1.7 kB are the changes of entries in one commit. To know which turn a reply
  // belongs to when another tab asked costs 0.5 kB; to know a session from one that is begun anew under its key, 0.35 kB,
  // and 2.1 kB where it is in a journal, in a mirror that opens late, or purged twice by a worker that was lost. Lists that are kept in their order cost 0.15 kB.
  // Frames through one memory, with appends in them in short, make a burst a quarter faster, and pages from the end in one
  // round trip a third: 0.8 kB.
  // To refuse what a tab without the key begins in an encrypted store, and to know a changed passphrase, costs 0.35 kB;
  // to store a reply where it belongs after edits, deleted branches and removals, 0.25 kB.
  // To tell an edit that was erased from one that counts until a later one comes costs 0.1 kB.
  // To open a branch that shows what its line shows, to compare a parent with what is shown, to keep the states of
  // checkpoints out of the row that every change rewrites, and to take the summary of a cleared line away: 1.2 kB.
  // To tell metadata that was replaced from what counts, and to have a cleared line compacted again: 0.15 kB.
  ['session.worker', 85_700],
  // With every format that comes in and goes out (33 kB), YAML (34 kB), what unpacks zips (4 kB) and SHA-256 (3 kB): a
  // worker is one file, and no page waits for this one. Reading each form of a tool's call costs 0.1 kB,
  // and restoring rows of collections from the mirror 5 kB, as in the worker that syncs. Nine chats and agents more to
  // move from are 2.9 kB. To copy branches and compare checkpoints is 2.4 kB, which no page has to do.
  // What chats say in parts, with each call and result once, in five more formats, and pictures of six more chats: 3 kB.
  // To find the edits that nothing shows, and to erase them in steps, costs 0.5 kB, as in the worker that syncs.
  // To read chats of the AI SDK costs 0.2 kB.
  // To erase metadata that was replaced, and summaries in it that were cleared: 0.25 kB, as in the worker that syncs.
  ['job.worker', 232_300],
  // To read small sessions together, which makes the first search over many of them three times as fast, and to look at
  // no session that is not found, cost 0.55 kB.
  // To erase sessions that were erased when half indexed, and to find what came before its branch was opened: 0.4 kB.
  ['search.worker', 38_500],
  // The whole store with Dexie, Yjs and every transport. Names and messages in usual words cost 0.3 kB; sync as states,
  // events and commands 2.7 kB; every transport's exchange as such, in functions of at most 60 lines, 1.6 kB.
  // To let nothing that was erased into a session that is begun anew costs 0.6 kB, and 3.3 kB to hold that, and to wait
  // for nobody for ever, while keys are changed, lives follow each other and a server goes on from an old backup.
  // To come to rest where entries are lost, and to ask again while keys are changed, costs 0.25 kB.
  // To show what was written after a refused entry, and to end a change of keys over a relay, costs 0.6 kB.
  ['sync.worker', 214_600],
])('has the %s once, in one file of at most %i bytes', (worker, limit) => {
  const script = read(fileOf(worker))
  expect(importsOf(script)).toEqual([])
  expect(gzipped(script)).toBeLessThanOrEqual(limit)
})

it.each([
  ['worker.js', 'session.worker'],
  ['job.worker.js', 'job.worker'],
  ['search.worker.js', 'search.worker'],
  ['sync.worker.js', 'sync.worker'],
])('has a subpath file %s that loads the %s', (file, worker) => {
  expect(importsOf(read(file))).toEqual([{ from: `./${fileOf(worker)}`, kind: 'static' }])
})

it('keeps Dexie and zod out of the session worker', () => {
  expect(read(fileOf('session.worker'))).not.toMatch(/DexieError|_zod/)
  expect(read(fileOf('job.worker'))).toMatch(/DexieError/)
})

it('leaves Dexie to the app when it runs in the page, and needs nothing else', () => {
  expect([...new Set(loadedWith('direct.js').packages)]).toEqual(['dexie'])
})

it.each(['session.worker', 'job.worker', 'search.worker'])(
  'names the %s in the form that bundlers recognise',
  (worker) => {
    const { code } = loadedWith('index.js')
    const literal = new RegExp(
      `new Worker\\(new URL\\(['"]\\./${fileOf(worker).replaceAll('.', '\\.')}['"],\\s*import\\.meta\\.url\\),\\s*\\{\\s*type:\\s*['"]module['"]`,
    )
    expect(code).toMatch(literal)
  },
)
