import { parseSync, Visitor } from 'vite'

/** One import, re-export or `import()` in a source file. */
export interface Import {
  /** What it names, as written. */
  readonly from: string
  /** `type` is erased, `static` runs when the module loads, `lazy` is `import()`. */
  readonly kind: 'type' | 'static' | 'lazy'
}

/** What an `import()` names whose argument is no literal. */
const COMPUTED = '(computed)'

/** Lists what a TypeScript or JavaScript source imports, in the order written. */
export function importsOf(source: string): Import[] {
  const found: Import[] = []
  const add = (from: string | undefined, kind: Import['kind']) => {
    if (from !== undefined) found.push({ from, kind })
  }
  new Visitor({
    // `import { type A } from 'b'` still loads b (verbatimModuleSyntax), so only `import type` counts as erased.
    ImportDeclaration: (node) => add(node.source.value, node.importKind === 'type' ? 'type' : 'static'),
    ExportNamedDeclaration: (node) => add(node.source?.value, node.exportKind === 'type' ? 'type' : 'static'),
    ExportAllDeclaration: (node) => add(node.source.value, node.exportKind === 'type' ? 'type' : 'static'),
    TSImportType: (node) => add(node.source.value, 'type'),
    ImportExpression(node) {
      const { source } = node
      // Whoever minifies writes texts as templates.
      const text =
        source.type === 'Literal'
          ? source.value
          : source.type === 'TemplateLiteral' && source.expressions.length === 0
            ? source.quasis[0]!.value.cooked
            : COMPUTED
      add(String(text), 'lazy')
    },
  }).visit(parseSync('source.ts', source).program)
  return found
}

/** True when a source is nothing but `export { names } from '…'`. */
export function hasOnlyNamedExports(source: string): boolean {
  return parseSync('source.ts', source).program.body.every(
    (statement) => statement.type === 'ExportNamedDeclaration' && statement.declaration === null,
  )
}
