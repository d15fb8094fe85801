import { parseSync, Visitor } from 'vite'

const SOURCES_OF_CHANCE = new Set(['crypto', 'performance'])

/** Lists where a source reads the clock or draws at random, as short descriptions. */
export function impuritiesIn(source: string): string[] {
  const found: string[] = []
  new Visitor({
    NewExpression(node) {
      if (isNamed(node.callee, 'Date') && node.arguments.length === 0) found.push('new Date()')
    },
    CallExpression(node) {
      if (isNamed(node.callee, 'Date')) found.push('Date()')
    },
    MemberExpression(node) {
      const property = node.property.type === 'Identifier' ? node.property.name : ''
      if (isNamed(node.object, 'Date') && property === 'now') found.push('Date.now')
      if (isNamed(node.object, 'Math') && property === 'random') found.push('Math.random')
      if (isNamed(node.object, 'globalThis') && SOURCES_OF_CHANCE.has(property)) found.push(`globalThis.${property}`)
      if (node.object.type === 'Identifier' && SOURCES_OF_CHANCE.has(node.object.name)) found.push(node.object.name)
    },
    VariableDeclarator(node) {
      // `const { random } = Math` would hide it from the rules above.
      for (const name of ['Date', 'Math', ...SOURCES_OF_CHANCE]) {
        if (node.init && isNamed(node.init, name)) found.push(`${name} under another name`)
      }
    },
  }).visit(parseSync('source.ts', source).program)
  return found
}

const isNamed = (node: { type: string }, name: string): boolean =>
  node.type === 'Identifier' && 'name' in node && node.name === name
