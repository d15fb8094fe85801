import { execFileSync } from 'node:child_process'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Consumer, createConsumer, link, manifest } from './consumer.ts'

/** Where each compiler is installed: two of them, so that each has a place of its own. */
const COMPILERS = { 'TypeScript 7': '../../package.json', 'TypeScript 5.9': './typescript-5/package.json' }
const RESOLUTIONS = {
  'a bundler': { module: 'ESNext', moduleResolution: 'Bundler' },
  Node: { module: 'NodeNext', moduleResolution: 'NodeNext' },
}

/** What an entry needs beside the package and its dependencies. */
const PEERS: Readonly<Record<string, readonly string[]>> = {
  sync: ['yjs'],
  testing: ['vitest'],
  react: ['@types/react'],
  vue: ['vue'],
  solid: ['solid-js'],
}
const peersOf = (subpath: string): readonly string[] => PEERS[subpath.split('/')[1] ?? ''] ?? []

let bare: Consumer
let full: Consumer
beforeAll(async () => {
  bare = await createConsumer()
  full = await createConsumer()
  for (const name of new Set(Object.values(PEERS).flat())) link(name, full.root)
})
afterAll(() => {
  bare?.remove()
  full?.remove()
})

const entriesOf = (app: Consumer): string[] =>
  Object.keys(manifest(app.installed).exports).filter((path) => path !== './package.json')

/** What a compiler says of an app, which is strict and checks the declarations it gets. */
function complaintsOf(
  app: Consumer,
  compiler: string,
  options: Readonly<Record<string, unknown>>,
  source: string,
): string {
  const required = createRequire(new URL(COMPILERS[compiler as keyof typeof COMPILERS], import.meta.url))
  const tsc = join(dirname(required.resolve('typescript/package.json')), 'bin/tsc')
  app.write('app.ts', source)
  const compilerOptions = {
    target: 'ES2022',
    lib: ['ES2022', 'DOM'],
    strict: true,
    skipLibCheck: false,
    noEmit: true,
    types: [],
    ...options,
  }
  app.write('tsconfig.json', JSON.stringify({ compilerOptions, files: ['app.ts'] }))
  try {
    execFileSync(process.execPath, [tsc, '-p', 'tsconfig.json'], { cwd: app.root, encoding: 'utf8', stdio: 'pipe' })
    return ''
  } catch (error) {
    return (error as { stdout?: string }).stdout || String(error)
  }
}

const importing = (entries: readonly string[]): string =>
  entries.map((path, i) => `export * as entry${i} from '${path.replace('.', 'keepsession')}'`).join('\n')

describe.each(Object.keys(COMPILERS))('with %s', (compiler) => {
  describe.each(Object.entries(RESOLUTIONS))('that resolves like %s', (_, resolution) => {
    it.each([false, true])(
      'every entry compiles in a strict app of ES2022 and the DOM, with exactOptionalPropertyTypes %s',
      (exactOptionalPropertyTypes) => {
        expect(
          complaintsOf(full, compiler, { ...resolution, exactOptionalPropertyTypes }, importing(entriesOf(full))),
        ).toBe('')
      },
    )

    it('what needs no peer compiles where there is none', () => {
      const entries = entriesOf(bare).filter((path) => peersOf(path).length === 0)
      expect(entries).toEqual(
        expect.arrayContaining([
          './types',
          './store',
          './svelte',
          './pi',
          './picoclaw',
          './agently',
          './aixgo',
          './chat',
        ]),
      )
      expect(complaintsOf(bare, compiler, resolution, importing(entries))).toBe('')
    })
  })

  it('lets `using` end what it opened, where the compiler knows it', () => {
    const source = `
      import { openSessionStore } from 'keepsession'
      import { createSessionManager } from 'keepsession/aixgo'
      import { openSync } from 'keepsession/sync'

      await using client = await openSessionStore()
      await using session = await client.session('k')
      using transcript = session.transcript()
      await using manager = createSessionManager(client)
      await using sync = openSync(client, { namespace: 'me', transport: { kind: 'hocuspocus', url: 'ws://127.0.0.1:1' } })
      export const ended: Disposable = transcript
    `
    expect(
      complaintsOf(
        full,
        compiler,
        { ...RESOLUTIONS['a bundler'], lib: ['ES2022', 'DOM', 'ESNext.Disposable'] },
        source,
      ),
    ).toBe('')
  })

  it('has a method to end each, for those that know no `using`', () => {
    const source = `
      import { openSessionStore } from 'keepsession'

      const client = await openSessionStore()
      client.sessions().close()
      await client.close()
    `
    expect(complaintsOf(bare, compiler, RESOLUTIONS['a bundler'], source)).toBe('')
  })

  it('hands transports an awareness that the functions of y-protocols take', async () => {
    // Of its own: nobody else is to find y-protocols.
    const transporting = await createConsumer()
    for (const name of ['yjs', 'y-protocols']) link(name, transporting.root)
    const source = `
      import type { LinkAwareness, SyncLink } from 'keepsession/sync'
      import { type Awareness, encodeAwarenessUpdate } from 'y-protocols/awareness'

      export const hello = ({ awareness }: SyncLink) => awareness && encodeAwarenessUpdate(awareness, [awareness.clientID])
      export const given = (awareness: Awareness): LinkAwareness => awareness
    `
    const complaints = complaintsOf(transporting, compiler, RESOLUTIONS['a bundler'], source)
    transporting.remove()
    expect(complaints).toBe('')
  })
})
