import { Composer, type CST, isAlias, isMap, isScalar, isSeq, Lexer, Parser } from 'yaml'
import { SessionError } from '../../../contract/errors.ts'
import type { Breather } from '../../../pacing/breather.ts'
import { yamlSchema } from './yaml-schema.ts'

/**
 * The maximum depth of nested lists and mappings. The library composes them recursively, and V8 ends a page that runs
 * out of stack there.
 */
const maxDepth = 256

/** The maximum number of words and signs of a text. Each takes about 300 bytes of memory. */
const maxLexemes = 2_000_000

/** Other work may run after this many lexemes. */
const stepLexemes = 256

/**
 * Reads one YAML document as PyYAML's `safe_load` does; times stay text, and custom tags are ignored. All aliases of an
 * anchor give the same object, so that a bomb of aliases stays as small as its text until it is copied.
 *
 * @throws InvalidInput when it is not YAML, or nested too deeply; TooLarge
 */
export async function parseYaml(text: string, breathe: Breather): Promise<unknown> {
  const tokens: CST.Token[] = []
  const parser = new Parser()
  let count = 0
  const take = (given: Iterable<CST.Token>): void => {
    for (const token of given) {
      if (token.type === 'error') throw refusal(token.message)
      tokens.push(token)
    }
  }
  for (const lexeme of new Lexer().lex(text)) {
    take(parser.next(lexeme))
    if (parser.stack.length > maxDepth) throw refusal(`it is nested more than ${maxDepth} levels deep`)
    if (++count % stepLexemes !== 0) continue
    if (count > maxLexemes)
      throw new SessionError('TooLarge', `The YAML has more than ${maxLexemes} words and signs. Export it as JSON.`)
    const pause = breathe()
    if (pause !== undefined) await pause
  }
  take(parser.end())
  const [document, ...others] = composerOf().compose(tokens, true, text.length)
  const [error] = document?.errors ?? []
  if (error !== undefined) throw refusal(error.message)
  if (others.length > 0) throw refusal('it contains several documents')
  return valueOf(document?.contents ?? null, new Map())
}

/**
 * A composer that stops at the first mistake: collected until the end, those of a hostile text would fill the memory.
 */
function composerOf(): Composer {
  const composer = new Composer({ schema: yamlSchema, uniqueKeys: false, keepSourceTokens: false, logLevel: 'silent' })
  const onError = (_: unknown, __: string, message: string, isWarning?: boolean): void => {
    if (isWarning !== true) throw refusal(message)
  }
  return Object.assign(composer as object, { onError }) as unknown as Composer
}

/** Replaces the library's own conversion, which searches the whole document for each alias. */
function valueOf(node: unknown, anchors: Map<string, unknown>): unknown {
  if (isAlias(node)) {
    if (!anchors.has(node.source)) throw refusal(`the alias *${node.source} has no anchor before it`)
    return anchors.get(node.source)
  }
  const keep = <T>(value: T): T => {
    const { anchor } = node as { readonly anchor?: string }
    if (anchor !== undefined) anchors.set(anchor, value)
    return value
  }
  if (isSeq(node)) {
    const list: unknown[] = keep([])
    for (const item of node.items) list.push(valueOf(item, anchors))
    return list
  }
  if (isMap(node)) {
    const map: Record<string, unknown> = keep({})
    for (const { key, value } of node.items) {
      const name = valueOf(key, anchors)
      if (typeof name === 'object' && name !== null) throw refusal('a key in it is a list or a mapping')
      // Even a key `__proto__` becomes a member, so that later checks find it.
      Object.defineProperty(map, String(name), {
        value: valueOf(value, anchors),
        enumerable: true,
        configurable: true,
        writable: true,
      })
    }
    return map
  }
  return keep(isScalar(node) ? node.value : null)
}

function refusal(found: string): SessionError {
  return new SessionError(
    'InvalidInput',
    `This YAML can't be read: ${found.replace(/:?\s*\n[^]*$/, '')}. Nothing was imported.`,
  )
}
