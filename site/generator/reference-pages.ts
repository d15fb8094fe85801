import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import ts from '@typescript/typescript6'
import { projectFolder } from './site-folders.ts'
import type { SitePage } from './site-page.ts'

/** A package export with declarations, such as `keepsession/sync`. */
interface PackageEntry {
  readonly name: string
  readonly declarations: string
}

/** A page for each package export, made from the declarations as they are published. */
export function referencePages(): SitePage[] {
  const entries = packageEntries()
  const program = ts.createProgram(
    entries.map(({ declarations }) => declarations),
    { module: ts.ModuleKind.ESNext, moduleResolution: ts.ModuleResolutionKind.Bundler, target: ts.ScriptTarget.ES2022 },
  )
  const checker = program.getTypeChecker()
  /** The page of each declaration: the first entry that exports it. */
  const homes = new Map<ts.Symbol, PackageEntry>()
  return entries.map((entry) => {
    const file = program.getSourceFile(entry.declarations)
    const module = file && checker.getSymbolAtLocation(file)
    const exported = module === undefined ? [] : byKind(checker.getExportsOfModule(module), checker)
    const own: string[] = []
    const elsewhere: string[] = []
    for (const symbol of exported) {
      const original = symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol
      const home = homes.get(original)
      if (home === undefined) {
        homes.set(original, entry)
        own.push(describeSymbol(symbol.name, original, checker))
      } else elsewhere.push(`[\`${symbol.name}\`](site:${addressOf(home)}#${symbol.name.toLowerCase()})`)
    }
    const also = elsewhere.length === 0 ? [] : [`## Also exported\n\n${elsewhere.join(', ')}`]
    const nothing = exported.length === 0 ? ['It exports nothing: importing it starts the worker.'] : []
    const markdown = [
      `# \`${entry.name}\``,
      `\`\`\`ts\n${importOf(entry.name, exported)}\n\`\`\``,
      ...nothing,
      ...own,
      ...also,
    ].join('\n\n')
    return { address: addressOf(entry), source: `site/${addressOf(entry)}.md`, markdown: `${markdown}\n` }
  })
}

const addressOf = ({ name }: PackageEntry): string => `reference/${name.replaceAll('/', '-')}`

/** What a program calls stands before the types that it takes and gives. */
function byKind(exported: readonly ts.Symbol[], checker: ts.TypeChecker): ts.Symbol[] {
  const isType = (symbol: ts.Symbol): boolean => {
    const original = symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol
    return (original.flags & ts.SymbolFlags.Value) === 0
  }
  return [...exported.filter((symbol) => !isType(symbol)), ...exported.filter(isType)]
}

/** How one imports it: names that are values first, at most three. */
function importOf(name: string, exported: readonly ts.Symbol[]): string {
  const some = exported.map((symbol) => symbol.name).filter((exportName) => exportName !== 'default')
  const values = some.filter((exportName) => /^[a-z]/.test(exportName))
  if (some.length === 0) return `import '${name}'`
  if (values.length > 0) return `import { ${values.slice(0, 3).join(', ')} } from '${name}'`
  return `import type { ${some.slice(0, 3).join(', ')} } from '${name}'`
}

function packageEntries(): PackageEntry[] {
  const { name, exports } = JSON.parse(readFileSync(join(projectFolder, 'package.json'), 'utf8')) as {
    name: string
    exports: Record<string, { types?: string }>
  }
  return Object.entries(exports).flatMap(([path, { types }]) => {
    if (types === undefined) return []
    const declarations = join(projectFolder, types)
    if (!existsSync(declarations)) throw new Error(`${types} is not there. Run \`npm run build\` first.`)
    return [{ name: path.replace('.', name), declarations }]
  })
}

/** A declaration under a heading: what its comment says, and the code. */
function describeSymbol(name: string, symbol: ts.Symbol, checker: ts.TypeChecker): string {
  const declarations = symbol.declarations ?? []
  const parts = [`## ${name}`]
  const callable = declarations.filter((one) => ts.isFunctionDeclaration(one))
  const [first] = declarations
  const comment =
    callable.length > 0
      ? ''
      : commentOf(symbol.getDocumentationComment(checker), symbol.getJsDocTags(checker), failing(first))
  if (comment !== '') parts.push(comment)
  if (callable.length > 0)
    for (const one of callable) {
      const signature = checker.getSignatureFromDeclaration(one)
      const text =
        signature && commentOf(signature.getDocumentationComment(checker), signature.getJsDocTags(), failing(one))
      if (text) parts.push(text)
      parts.push(codeOf(one))
    }
  else if (first !== undefined) {
    parts.push(...declarations.map((one) => codeOf(ts.isVariableDeclaration(one) ? one.parent.parent : one)))
    if (ts.isInterfaceDeclaration(first) || ts.isClassDeclaration(first)) {
      const members = first.members.flatMap((member) => memberRow(member, checker))
      if (members.length > 0) parts.push(`| member | |\n| --- | --- |\n${members.join('\n')}`)
    }
  }
  return parts.join('\n\n')
}

/** A row of the table of members: the name, and what its comment says. Members without a comment have none. */
function memberRow(member: ts.ClassElement | ts.TypeElement, checker: ts.TypeChecker): string[] {
  const name = member.name
  if (name === undefined) return []
  const symbol = checker.getSymbolAtLocation(name)
  const isMethod = ts.isMethodSignature(member) || ts.isMethodDeclaration(member)
  // Of several signatures, each has a comment of its own; that of the symbol has them all.
  const documented = isMethod ? checker.getSignatureFromDeclaration(member) : symbol
  const tags = isMethod ? checker.getSignatureFromDeclaration(member)?.getJsDocTags() : symbol?.getJsDocTags(checker)
  const comment = documented && commentOf(documented.getDocumentationComment(checker), tags ?? [], failing(member), ' ')
  if (!comment) return []
  const call = isMethod ? '()' : ''
  return [`| \`${name.getText()}${call}\` | ${comment.replace(/\s*\n\s*/g, ' ').replaceAll('|', '\\|')} |`]
}

/** A declaration without its comments, which stand beside it. */
function codeOf(node: ts.Node): string {
  const printer = ts.createPrinter({ removeComments: true })
  const code = printer
    .printNode(ts.EmitHint.Unspecified, node, node.getSourceFile())
    .replace(/^export /, '')
    .replace(/^declare /, '')
    .replace(/^ {4,}/gm, (indent) => ' '.repeat(indent.length / 2))
  return `\`\`\`ts\n${code}\n\`\`\``
}

/** How a call fails: a promise rejects, everything else throws. */
const failing = (declaration: ts.Node | undefined): string =>
  declaration !== undefined && /(?:\): |=> )(?:Promise|PromiseLike|Job)</.test(declaration.getText())
    ? 'Rejects with'
    : 'Throws'

/** What a comment says, as Markdown: its text, then parameters, errors and examples. */
function commentOf(
  documentation: readonly ts.SymbolDisplayPart[],
  tags: readonly ts.JSDocTagInfo[],
  fails: string,
  separator = '\n\n',
): string {
  const words = (parts: readonly ts.SymbolDisplayPart[] | undefined): string =>
    ts
      .displayPartsToString(parts ? [...parts] : [])
      .replace(/\{@link (\w+)[^}]*\}/g, '`$1`')
      // What looks like a tag is meant as text.
      .replace(/<(?=[A-Za-z/])(?![^`]*`)/g, '&lt;')
      .trim()
  const text = [words(documentation)]
  for (const { name, text: parts } of tags) {
    if (name === 'param') {
      const [parameter, ...rest] = words(parts).split(' ')
      const meaning = rest.join(' ').replace(/^- /, '')
      if (meaning !== '') text.push(`\`${parameter}\`: ${meaning}`)
    } else if (name === 'throws') text.push(`${fails} ${words(parts)}`)
    else if (name === 'returns') text.push(`Returns ${words(parts)}`)
    else if (name === 'example' && separator === '\n\n') text.push(`\`\`\`ts\n${words(parts)}\n\`\`\``)
  }
  return text.filter((part) => part !== '').join(separator)
}
