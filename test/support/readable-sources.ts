import { parseSync, Visitor } from 'vite'
import type { Tree } from './architecture.ts'

/** The parts of a syntax tree that are looked at. */
interface Node {
  readonly type: string
  readonly start: number
  readonly end: number
  readonly [field: string]: unknown
}

/** Files with more lines than this, as `path: lines`. */
export function longFiles(tree: Tree, most: number): string[] {
  return [...tree].flatMap(([path, source]) => {
    const lines = source.trimEnd().split('\n').length
    return lines > most ? [`${path}: ${lines}`] : []
  })
}

/** Functions with more lines than this, with all that is in them, as `path:line: lines`. */
export function longFunctions(tree: Tree, most: number): string[] {
  return [...tree].flatMap(([path, source]) => {
    const found: string[] = []
    const look = ({ start, end }: { readonly start: number; readonly end: number }): void => {
      const lines = source.slice(start, end).split('\n').length
      if (lines > most) found.push(`${path}:${lineOf(source, start)}: ${lines}`)
    }
    new Visitor({ FunctionDeclaration: look, FunctionExpression: look, ArrowFunctionExpression: look }).visit(
      parseSync(path, source).program,
    )
    return found
  })
}

/**
 * Variables of a function that are used, in whatever is called later, above the line that declares them: `path:line: name`.
 * Such parts cannot be read from the top, and which of them may be called when is written nowhere.
 */
export function lateVariables(tree: Tree): string[] {
  return [...tree].flatMap(([path, source]) => {
    const found: string[] = []
    const look = (block: unknown): void => {
      const { body } = block as { readonly body: readonly Node[] }
      const declared = new Map(body.flatMap((one) => namesIn(one).map((name) => [name, one.start] as const)))
      for (const { name, start } of body.flatMap((one) => usesIn(one, new Set())))
        if (start < (declared.get(name) ?? 0)) found.push(`${path}:${lineOf(source, start)}: ${name}`)
    }
    new Visitor({ BlockStatement: look }).visit(parseSync(path, source).program)
    return found
  })
}

const lineOf = (source: string, at: number): number => source.slice(0, at).split('\n').length

const isNode = (value: unknown): value is Node =>
  typeof value === 'object' && value !== null && typeof (value as Partial<Node>).type === 'string'

const childrenOf = (node: Node): readonly Node[] => Object.values(node).flat().filter(isNode)

/** The variables that a statement declares. */
function namesIn(statement: Node): readonly string[] {
  if (statement.type !== 'VariableDeclaration') return []
  return (statement['declarations'] as readonly Node[]).flatMap(({ id }) => namesOf(id as Node))
}

/** The names that a pattern binds. */
function namesOf(pattern: Node): readonly string[] {
  if (pattern.type === 'Identifier') return [pattern['name'] as string]
  if (pattern.type === 'AssignmentPattern') return namesOf(pattern['left'] as Node)
  if (pattern.type === 'Property') return namesOf(pattern['value'] as Node)
  return childrenOf(pattern)
    .filter(({ type }) => !type.startsWith('TS'))
    .flatMap(namesOf)
}

/** The variables from outside that are used in a part of a function. */
function usesIn(node: Node, bound: ReadonlySet<string>): readonly { readonly name: string; readonly start: number }[] {
  const { type, start } = node
  if (type === 'Identifier') {
    const name = node['name'] as string
    return bound.has(name) ? [] : [{ name, start }]
  }
  // Types are erased; of `a as B` and `a!` the value stays.
  const isTypeOnly = type.startsWith('TS')
  const children = isTypeOnly ? [node['expression']].filter(isNode) : childrenOf(node)
  const key = node['computed'] === true ? undefined : (node['property'] ?? node['key'])
  const params = (node['params'] as readonly Node[] | undefined) ?? []
  const body = Array.isArray(node['body']) ? (node['body'] as readonly Node[]) : []
  // A block that declares a name itself means its own, as does a function with its parameters.
  const inner = new Set([...bound, ...params.flatMap(namesOf), ...body.flatMap(namesIn)])
  return children.filter((child) => child !== key).flatMap((child) => usesIn(child, inner))
}
