import { existsSync } from 'node:fs'
import { join } from 'node:path'
import ts from '@typescript/typescript6'
import { readManifest } from './package-manifest.ts'

/** The declarations that a package folder exports, by `<export>: <name>`, without their comments. */
export function publicTypes(folder: string): Map<string, string> {
  const entries = Object.entries(readManifest(folder).exports ?? {}).flatMap(([path, entry]) => {
    const types = typeof entry === 'string' ? undefined : entry.types
    return types !== undefined && existsSync(join(folder, types)) ? [{ path, file: join(folder, types) }] : []
  })
  const program = ts.createProgram(
    entries.map(({ file }) => file),
    { module: ts.ModuleKind.ESNext, moduleResolution: ts.ModuleResolutionKind.Bundler, target: ts.ScriptTarget.ES2022 },
  )
  const checker = program.getTypeChecker()
  const printer = ts.createPrinter({ removeComments: true })
  const found = new Map<string, string>()
  for (const { path, file } of entries) {
    const source = program.getSourceFile(file)
    const module = source && checker.getSymbolAtLocation(source)
    for (const symbol of module === undefined ? [] : checker.getExportsOfModule(module)) {
      const original = symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol
      const text = (original.declarations ?? [])
        .map((one) => printer.printNode(ts.EmitHint.Unspecified, one, one.getSourceFile()))
        .join('\n')
      found.set(`${path}: ${symbol.name}`, text)
    }
  }
  return found
}
