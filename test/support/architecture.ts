import { posix } from 'node:path'
import { hasOnlyNamedExports, importsOf } from './imports.ts'
import { impuritiesIn } from './impurities.ts'

/** Source files by their path below the repository. */
export type Tree = ReadonlyMap<string, string>

/** What the files of a folder may import, besides each other. */
export interface Rule {
  /** Folders, or single files where only these may be reached. */
  readonly from: readonly string[]
  /** Files and folders of which only types may be imported: they would drag zod or Dexie into the page. */
  readonly typesFrom?: readonly string[]
  /** What may be reached by `import()` only, so that the page doesn't load it unasked. */
  readonly lazilyFrom?: readonly string[]
  /** Packages, or their subpaths. */
  readonly packages: readonly string[]
  /** Any package, when only its types are imported. */
  readonly typesOfPackages?: true
}

const PAGE = { from: ['src/contract/errors.ts'], typesFrom: ['src/contract'] }

/**
 * The rows of one dialect: its pure rules, its file formats, and the functions over a session or a client that speak
 * its vocabulary.
 *
 * @param others - dialects whose code this one uses
 */
const dialect = (name: string, others: readonly string[] = []): Readonly<Record<string, Rule>> => {
  const folder = `src/dialects/${name}`
  const rules = [name, ...others].map((one) => `src/dialects/${one}/rules`)
  return {
    [`${folder}/rules`]: { from: [...PAGE.from, 'src/domain'], typesFrom: PAGE.typesFrom, packages: [] },
    [`${folder}/format`]: {
      from: ['src/contract', 'src/domain', 'src/pacing', 'src/formats', ...rules],
      packages: ['yaml'],
    },
    [folder]: {
      from: [
        ...PAGE.from,
        'src/domain',
        'src/pacing',
        'src/whole-log',
        'src/client',
        ...rules,
        ...others.map((one) => `src/dialects/${one}`),
      ],
      typesFrom: PAGE.typesFrom,
      packages: [],
    },
  }
}

const dialectFormats = ['pi', 'picoclaw', 'agently', 'aixgo', 'chat'].map((name) => `src/dialects/${name}/format`)

/** The row of one framework's bindings. */
const binding = (name: string, packages: readonly string[]): Readonly<Record<string, Rule>> => ({
  [`src/bindings/${name}`]: {
    from: [...PAGE.from, 'src/bindings/views', 'src/client'],
    typesFrom: PAGE.typesFrom,
    packages,
  },
})

/** The import table of ARCHITECTURE.md. A folder that isn't here may not exist. */
export const FOLDERS: Readonly<Record<string, Rule>> = {
  'src/contract': { from: [], packages: ['zod/mini'] },
  'src/domain': { ...PAGE, packages: ['@noble/hashes'] },
  'src/whole-log': { from: [...PAGE.from, 'src/domain', 'src/pacing'], typesFrom: PAGE.typesFrom, packages: [] },
  'src/storage': { from: ['src/contract', 'src/domain', 'src/pacing'], packages: ['dexie'] },
  'src/pacing': { from: [], packages: [] },
  'src/formats': { from: ['src/contract', 'src/domain', 'src/pacing'], packages: ['yaml', 'fflate'] },
  'src/files': { from: ['src/contract', 'src/domain', 'src/pacing', 'src/formats', ...dialectFormats], packages: [] },
  'src/search': { from: ['src/contract', 'src/domain', 'src/pacing'], packages: [] },
  'src/sealing': { from: ['src/contract', 'src/domain', 'src/storage'], packages: [] },
  'src/mirror': { from: ['src/contract', 'src/domain', 'src/pacing', 'src/storage', 'src/formats'], packages: [] },
  'src/sync': {
    from: ['src/contract', 'src/domain', 'src/pacing'],
    packages: ['yjs', 'y-protocols', 'lib0', '@hocuspocus/provider', 'y-websocket'],
  },
  worker: {
    from: [
      'src/contract',
      'src/domain',
      'src/whole-log',
      'src/storage',
      'src/formats',
      'src/files',
      ...dialectFormats,
      'src/search',
      'src/mirror',
      'src/sealing',
      'src/sync',
    ],
    packages: ['comlink'],
  },
  'src/client': {
    from: [...PAGE.from, 'src/domain', 'src/pacing', 'src/whole-log'],
    typesFrom: PAGE.typesFrom,
    lazilyFrom: [
      'src/direct.ts',
      'src/in-page/left-sessions.ts',
      'src/in-page/delete-store.ts',
      'src/in-page/open-search-in-page.ts',
      'src/in-page/device-key.ts',
      'src/files/import-source.ts',
      'src/files/export-files.ts',
      'src/storage/check-store.ts',
      'virtual:session-worker-url',
      'virtual:job-worker-url',
      'virtual:search-worker-url',
      'virtual:sync-worker-url',
    ],
    packages: ['comlink'],
  },
  'src/in-page': {
    from: ['src/contract', 'src/domain', 'src/storage', 'src/client', 'src/search', 'src/mirror', 'src/sealing'],
    packages: [],
  },
  // Sync as an app calls it. Yjs only where no worker can be had, and then on demand; `page-engine.ts` is what is
  // loaded then.
  'src/sync-client': {
    from: [...PAGE.from, 'src/domain', 'src/client', 'src/sync'],
    typesFrom: PAGE.typesFrom,
    packages: [],
  },
  ...dialect('pi'),
  ...dialect('picoclaw'),
  ...dialect('agently', ['picoclaw']),
  ...dialect('aixgo'),
  ...dialect('chat', ['picoclaw', 'agently']),
  'src/adapters': {
    from: [...PAGE.from, 'src/domain', 'src/client'],
    typesFrom: PAGE.typesFrom,
    packages: [],
    typesOfPackages: true,
  },
  // A view is a live state without a framework; the bindings make hooks, refs, stores or signals of it.
  'src/bindings/views': { from: PAGE.from, typesFrom: [...PAGE.typesFrom, 'src/client'], packages: [] },
  ...binding('react', ['react']),
  ...binding('vue', ['vue']),
  ...binding('svelte', []),
  ...binding('solid', ['solid-js']),
  // What a developer sees of a store. It has a client given to it, and loads nothing of one.
  'src/inspector': {
    from: [...PAGE.from, 'src/domain'],
    typesFrom: [...PAGE.typesFrom, 'src/client', 'src/sync', 'src/sync-client'],
    packages: [],
  },
  // What checks other people's stores: it runs under their vitest.
  'src/testing': { from: ['src/contract', 'src/domain'], packages: ['vitest'] },
  // Runs in Node alone: no page loads any of it.
  server: {
    from: [],
    packages: [
      '@hocuspocus/server',
      '@hocuspocus/extension-redis',
      'yjs',
      'pg',
      'aws4fetch',
      'node:crypto',
      'node:events',
      'node:fs',
      'node:fs/promises',
      'node:os',
      'node:path',
      'node:stream',
      'node:stream/promises',
      'node:timers/promises',
      'node:util',
    ],
  },
}

/** Files outside every folder of the table. */
export function strayFiles(tree: Tree): string[] {
  return [...tree.keys()].filter((path) => !isEntry(path) && ruleOf(path) === undefined)
}

/** Imports that the table doesn't allow. */
export function forbiddenImports(tree: Tree): string[] {
  return eachImport(tree)
    .filter(({ file, to, kind }) => {
      const rule = ruleOf(file)
      if (rule === undefined || isEntry(to)) return false
      if (isFile(to) && ruleOf(to) === rule) return false
      if (kind === 'type' && rule.typesOfPackages && !isFile(to)) return false
      const allowed = [
        ...rule.from,
        ...rule.packages,
        ...(kind === 'type' ? (rule.typesFrom ?? []) : []),
        ...(kind === 'lazy' ? (rule.lazilyFrom ?? []) : []),
      ]
      return !allowed.some((one) => isWithin(to, one))
    })
    .map(describe)
}

/** Relative imports of files that don't exist, such as those without their `.ts`. */
export function brokenImports(tree: Tree): string[] {
  return eachImport(tree)
    .filter(({ to }) => isFile(to) && !tree.has(to))
    .map(describe)
}

/** Internals that import an entry: what they need lies in a file of its own. */
export function importedEntries(tree: Tree): string[] {
  return eachImport(tree)
    .filter(({ file, to, kind }) => isEntry(to) && !(kind === 'lazy' && ruleOf(file)?.lazilyFrom?.includes(to)))
    .map(describe)
}

/** Entries with anything but `export { names } from`. */
export function entriesWithCode(tree: Tree): string[] {
  return [...tree].filter(([path, source]) => isEntry(path) && !hasOnlyNamedExports(source)).map(([path]) => path)
}

/** Packages of the worker that load with the page: the way to each of them. */
export function heavyPage(tree: Tree): string[] {
  const edges = eachImport(tree).filter(({ kind }) => kind === 'static')
  const found: string[] = []
  const seen = new Set<string>()
  const visit = (file: string, path: readonly string[]): void => {
    if (isWithin(file, 'dexie') || isWithin(file, 'zod')) found.push([...path, file].join(' → '))
    if (seen.has(file)) return
    seen.add(file)
    for (const edge of edges) if (edge.file === file) visit(edge.to, [...path, file])
  }
  visit('src/index.ts', [])
  return found
}

/** `import()` in what an entry for Service Workers loads: they have none. The way to each. */
export function lazyInServiceWorkers(tree: Tree): string[] {
  const edges = eachImport(tree)
  const found: string[] = []
  const seen = new Set<string>()
  const visit = (file: string, path: readonly string[]): void => {
    if (seen.has(file)) return
    seen.add(file)
    for (const { to, kind } of edges.filter((edge) => edge.file === file)) {
      if (kind === 'lazy') found.push([...path, file, to].join(' → '))
      if (kind === 'static') visit(to, [...path, file])
    }
  }
  for (const entry of ['src/agently.ts', 'src/aixgo.ts', 'src/chat.ts', 'src/picoclaw.ts', 'src/pi.ts'])
    visit(entry, [])
  return found
}

/** Circles of files that import each other, also only types, each once, from the file where it was found. */
export function cycles(tree: Tree): string[] {
  const imports = new Map<string, string[]>()
  for (const { file, to } of eachImport(tree)) {
    if (tree.has(to)) imports.set(file, [...(imports.get(file) ?? []), to])
  }
  const found: string[] = []
  const done = new Set<string>()
  const visit = (file: string, path: readonly string[]): void => {
    const start = path.indexOf(file)
    if (start >= 0) found.push([...path.slice(start), file].join(' → '))
    if (start >= 0 || done.has(file)) return
    for (const next of imports.get(file) ?? []) visit(next, [...path, file])
    done.add(file)
  }
  for (const file of tree.keys()) visit(file, [])
  return found
}

/** Uses of the clock or of randomness in the domain: both are arguments there. */
export function impureDomain(tree: Tree): string[] {
  return [...tree]
    .filter(([path]) => isWithin(path, 'src/domain'))
    .flatMap(([path, source]) => impuritiesIn(source).map((use) => `${path}: ${use}`))
}

interface Edge {
  readonly file: string
  /** A path below the repository for a relative import, else what was written. */
  readonly to: string
  readonly kind: 'type' | 'static' | 'lazy'
}

function eachImport(tree: Tree): Edge[] {
  return [...tree].flatMap(([file, source]) =>
    importsOf(source).map(({ from, kind }) => ({
      file,
      to: from.startsWith('.') ? `./${posix.join(posix.dirname(file), from)}`.slice(2) : from,
      kind,
    })),
  )
}

const describe = ({ file, to, kind }: Edge): string => `${file} → ${to}${kind === 'static' ? '' : ` (${kind})`}`

const isWithin = (path: string, place: string): boolean => path === place || path.startsWith(`${place}/`)

const isEntry = (path: string): boolean => /^src\/[^/]+\.ts$/.test(path)

/** True for a path of ours, false for a package. */
const isFile = (path: string): boolean => isWithin(path, 'src') || isWithin(path, 'worker') || isWithin(path, 'server')

function ruleOf(path: string): Rule | undefined {
  return Object.entries(FOLDERS).find(([folder]) => isWithin(path, folder))?.[1]
}
