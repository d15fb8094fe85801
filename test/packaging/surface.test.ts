import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join, relative } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { project } from '../support/documents.ts'

// How much an app has to learn, read from the sources by TypeScript 5.9, whose compiler can be called from a program.

type TypeScript = typeof import('./typescript-5/node_modules/typescript/lib/typescript.js')
type Checker = import('./typescript-5/node_modules/typescript/lib/typescript.js').TypeChecker
type Exported = import('./typescript-5/node_modules/typescript/lib/typescript.js').Symbol

const ts = createRequire(new URL('./typescript-5/package.json', import.meta.url))('typescript') as TypeScript

/** The source of each entry that has exports, by its subpath. */
const entries = Object.entries(readManifest().exports).flatMap(([subpath, target]) => {
  if (typeof target === 'string' || /worker$/.test(subpath)) return []
  return [[subpath, join(project, target.types.replace('./dist/', 'src/').replace(/\.d\.ts$/, '.ts'))] as const]
})

function readManifest(): { readonly exports: Readonly<Record<string, string | { readonly types: string }>> } {
  return JSON.parse(readFileSync(join(project, 'package.json'), 'utf8'))
}

let checker: Checker
let exportsOf: (file: string) => readonly Exported[]

beforeAll(() => {
  const program = ts.createProgram(
    entries.map(([, file]) => file),
    {
      module: ts.ModuleKind.ESNext,
      moduleResolution: ts.ModuleResolutionKind.Bundler,
      target: ts.ScriptTarget.ES2022,
      lib: ['lib.es2022.d.ts', 'lib.dom.d.ts', 'lib.dom.iterable.d.ts', 'lib.esnext.disposable.d.ts'],
      allowImportingTsExtensions: true,
      noEmit: true,
      strict: true,
      types: [],
    },
  )
  checker = program.getTypeChecker()
  exportsOf = (file) => {
    const source = program.getSourceFile(file)
    if (source === undefined) throw new Error(`${file} of package.json has no source.`)
    return checker.getExportsOfModule(checker.getSymbolAtLocation(source)!)
  }
})

/** What a name stands for, wherever it is exported from. */
const declared = (symbol: Exported): Exported =>
  symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol

/** Members of an interface of `keepsession`, without those named by symbols; a group counts as one. */
function membersOf(name: string): string[] {
  const symbol = exportsOf(join(project, 'src/index.ts')).find((one) => one.name === name)
  if (symbol === undefined) throw new Error(`keepsession exports no ${name}.`)
  const properties = checker.getPropertiesOfType(checker.getDeclaredTypeOfSymbol(declared(symbol)))
  return properties
    .map((property) => property.name)
    .filter((member) => !member.startsWith('__@'))
    .sort()
}

describe('what an app has to learn', () => {
  it('is at most 24 members of a client', () => {
    const members = membersOf('SessionClient')
    expect(members).toEqual(expect.arrayContaining(['session', 'files', 'upkeep', 'close']))
    expect(members.length).toBeLessThanOrEqual(24)
  })

  it('is at most 30 members of a session', () => {
    const members = membersOf('Session')
    expect(members).toEqual(expect.arrayContaining(['append', 'branches', 'checkpoints', 'close']))
    expect(members.length).toBeLessThanOrEqual(30)
  })

  it('is at most 90 names of `keepsession`', () => {
    expect(exportsOf(join(project, 'src/index.ts')).length).toBeLessThanOrEqual(90)
  })
})

describe('a name', () => {
  it.each(entries)('has a declaration: %s', (_, file) => {
    const names = exportsOf(file)
    expect(names.length).toBeGreaterThan(0)
    const lost = names.filter((symbol) => (declared(symbol).declarations ?? []).length === 0)
    expect(lost.map(({ name }) => name)).toEqual([])
  })

  it('stands for one thing, whichever entry it comes from, but for what each framework has in its own form', () => {
    const meanings = new Map<string, Map<Exported, string>>()
    for (const [subpath, file] of entries) {
      for (const symbol of exportsOf(file)) {
        const known = meanings.get(symbol.name) ?? new Map<Exported, string>()
        meanings.set(symbol.name, known)
        const meaning = declared(symbol)
        const source = meaning.declarations?.[0]?.getSourceFile().fileName ?? ''
        if (!known.has(meaning)) known.set(meaning, `${subpath} (${relative(project, source)})`)
      }
    }
    const inFrameworks = (sources: Iterable<string>): boolean =>
      [...sources].every((source) => /^\.\/(react|vue|svelte|solid) /.test(source))
    const ambiguous = [...meanings].filter(([, known]) => known.size > 1 && !inFrameworks(known.values()))
    expect(ambiguous.map(([name, known]) => [name, ...known.values()])).toEqual([])
  })
})
