import { parseSync, Visitor } from 'vite'
import type { Tree } from './architecture.ts'

/** What stands on the line of a spread, or on the one above, that has a bound all the same: the comment says which. */
const bounded = /\/\/.*\bbounded:\s\S/

/** The parts of a syntax tree that are looked at. */
interface Node {
  readonly type: string
  readonly start: number
  readonly [field: string]: unknown
}

/**
 * Finds lists that are spread into the arguments of a call. An engine's stack takes about 65,000 arguments, so that one
 * of what is stored works until a session is long. Allowed are lists that are written out in place, a function's own
 * rest parameter (whoever called it could), and what a comment `// bounded: …` tells the bound of.
 */
export function unboundedArguments(tree: Tree): string[] {
  return [...tree]
    .filter(([path]) => !path.endsWith('.d.ts'))
    .flatMap(([path, source]) => {
      const lines = source.split('\n')
      return spreadsIn(path, source).flatMap((at) => {
        const line = source.slice(0, at).split('\n').length
        return [lines[line - 1], lines[line - 2]].some((text) => text !== undefined && bounded.test(text))
          ? []
          : [`${path}:${line}`]
      })
    })
}

function spreadsIn(path: string, source: string): number[] {
  const found: number[] = []
  const rest: string[][] = []
  const enter = ({ params }: { readonly params: readonly unknown[] }): void =>
    void rest.push(
      (params as readonly Node[]).flatMap((one) =>
        one.type === 'RestElement' ? [(one['argument'] as Node)['name'] as string] : [],
      ),
    )
  const leave = (): void => void rest.pop()
  const look = (call: unknown): void => {
    const { callee, arguments: given } = call as { readonly callee: Node; readonly arguments: readonly Node[] }
    for (const one of given)
      if (one.type === 'SpreadElement' && !isWrittenOut(one['argument'] as Node, rest.flat())) found.push(one.start)
    const name =
      callee.type === 'MemberExpression' ? ((callee['property'] as Node)['name'] as string | undefined) : undefined
    if (name === 'apply' && given.length > 1) found.push(callee.start)
  }
  new Visitor({
    FunctionDeclaration: enter,
    FunctionExpression: enter,
    ArrowFunctionExpression: enter,
    'FunctionDeclaration:exit': leave,
    'FunctionExpression:exit': leave,
    'ArrowFunctionExpression:exit': leave,
    CallExpression: look,
    NewExpression: look,
  }).visit(parseSync(path, source).program)
  return found
}

function isWrittenOut(node: Node, rest: readonly string[]): boolean {
  switch (node.type) {
    case 'ParenthesizedExpression':
    case 'TSAsExpression':
      return isWrittenOut(node['expression'] as Node, rest)
    case 'ArrayExpression':
      return (node['elements'] as readonly (Node | null)[]).every(
        (one) => one?.type !== 'SpreadElement' || isWrittenOut(one['argument'] as Node, rest),
      )
    case 'ConditionalExpression':
      return isWrittenOut(node['consequent'] as Node, rest) && isWrittenOut(node['alternate'] as Node, rest)
    case 'Identifier':
      return rest.includes(node['name'] as string)
    default:
      return false
  }
}
