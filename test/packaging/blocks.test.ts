import { execFileSync } from 'node:child_process'
import { existsSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { stop, transform } from 'esbuild-wasm'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Block, blocksOf, blockWith, type Document, manuals, project, proseOf } from '../support/documents.ts'
import { moduleOf } from './block-needs.ts'
import { type Consumer, createConsumer, link } from './consumer.ts'

/** A Service Worker, whose names no compiler knows in JavaScript: it is run. */
const RUN_ELSEWHERE = { begin: "self.addEventListener('fetch'", testedBy: './examples.test.ts' }

const blocks = manuals()
  .flatMap(blocksOf)
  .filter(({ language }) => language === 'ts' || language === 'tsx' || language === 'js')
const named = blocks
  .filter(({ code }) => !code.includes(RUN_ELSEWHERE.begin))
  .map((block) => [`${block.place} ${block.code.split('\n')[0]}`, block] as const)
const fileOf = ({ place, language }: Block): string => `${place.replace(/\W/g, '-')}.${language}`

/** Blocks for apps with a framework whose own declarations do not stand a strict compiler. */
const FRAMEWORKS = [
  'ai',
  '@openai/agents-core',
  '@ai-sdk/react',
  '@ag-ui/client',
  '@assistant-ui/react',
  '@langchain/core',
  '@langchain/langgraph',
  '@mariozechner/pi-web-ui',
  '@tanstack/ai-client',
  '@tanstack/ai-react',
] as const
const hasFramework = (block: Block): boolean =>
  FRAMEWORKS.some((name) => new RegExp(`from '${name}['/]`).test(moduleOf(block)))

let app: Consumer
beforeAll(async () => {
  app = await createConsumer()
  for (const name of ['yjs', 'vitest', '@types/node', '@types/react', 'vue', 'svelte', 'solid-js']) link(name, app.root)
  for (const name of FRAMEWORKS) link(name, app.root, 'test/frameworks')
  link('idb-keyval', app.root, 'site')
  symlinkSync(join(project, 'server'), join(app.root, 'node_modules/keepsession-sync-server'), 'junction')
  for (const block of blocks)
    app.write(fileOf(block), `${block.language === 'js' ? '// @ts-check\n' : ''}${moduleOf(block)}`)
})
afterAll(async () => {
  app?.remove()
  // The process that esbuild keeps for the next time.
  await stop()
})

/** What the compiler says of modules of the app: of TypeScript strictly, of JavaScript what can be said of it. */
function complaints(files: readonly string[], options: Readonly<Record<string, unknown>>): string {
  const compilerOptions = {
    module: 'ESNext',
    moduleResolution: 'Bundler',
    target: 'ES2022',
    noEmit: true,
    moduleDetection: 'force',
    ...options,
  }
  app.write('tsconfig.json', JSON.stringify({ compilerOptions, files }))
  try {
    execFileSync(
      process.execPath,
      [fileURLToPath(new URL('../../node_modules/typescript/bin/tsc', import.meta.url)), '-p', 'tsconfig.json'],
      { cwd: app.root, encoding: 'utf8', stdio: 'pipe' },
    )
    return ''
  } catch (error) {
    return (error as { stdout?: string }).stdout || String(error)
  }
}

/** What the documents call things, as in `session.append()`. */
const OWNERS = {
  session: 'Session',
  client: 'SessionClient',
  store: 'SessionStore',
  sync: 'DeviceSync',
  manager: 'SessionManager',
  live: 'Transcript',
}

/** Members of these that code in the prose names. */
function membersNamedIn(document: Document): string[] {
  const spans = [...proseOf(document).matchAll(/`([^`\n]+)`/g)].map(([, code]) => code!)
  const names = Object.keys(OWNERS).join('|')
  return [
    ...new Set(
      spans.flatMap(
        (code) => code.match(new RegExp(`(?<![\\w./-])(${names})\\.\\w+(?:\\.\\w+)*(?=[(.\\s]|$)`, 'g')) ?? [],
      ),
    ),
  ].sort()
}

const STRICT = {
  strict: true,
  jsx: 'react-jsx',
  exactOptionalPropertyTypes: true,
  skipLibCheck: false,
  lib: ['ES2022', 'DOM', 'DOM.Iterable'],
  types: [],
}
const JAVASCRIPT = {
  strict: true,
  noImplicitAny: false,
  allowJs: true,
  skipLibCheck: true,
  lib: ['ES2022', 'WebWorker', 'DOM.AsyncIterable'],
  types: ['node'],
}

describe('a block of the documents', () => {
  const said = { ts: '', js: '', frameworks: '' }
  /** A `tsx` block is compiled as TypeScript. */
  const kindOf = (block: Block): keyof typeof said =>
    hasFramework(block) ? 'frameworks' : block.language === 'js' ? 'js' : 'ts'
  beforeAll(() => {
    const filesOf = (kind: keyof typeof said): string[] =>
      named.map(([, block]) => block).flatMap((block) => (kindOf(block) === kind ? [fileOf(block)] : []))
    said.ts = complaints(filesOf('ts'), STRICT)
    said.js = complaints(filesOf('js'), JAVASCRIPT)
    said.frameworks = complaints(filesOf('frameworks'), { ...STRICT, skipLibCheck: true })
  })

  it.each(named)('compiles: %s', (_, block) => {
    expect(said[kindOf(block)].split('\n').filter((line) => line.startsWith(fileOf(block)))).toEqual([])
  })

  it('makes the compiler say nothing of anything else', () => expect(said).toEqual({ ts: '', js: '', frameworks: '' }))

  it('that is not compiled is run', () => {
    expect(blocks.length - named.length).toBe(1)
    expect(existsSync(new URL(RUN_ELSEWHERE.testedBy, import.meta.url))).toBe(true)
  })

  it('that needs what nobody declared does not', () => {
    app.write('undeclared.ts', moduleOf({ place: '', code: 'await client.upkeep.health()', needs: [] }))
    expect(complaints(['undeclared.ts'], STRICT)).toContain("Cannot find name 'client'")
    expect(() => moduleOf({ place: 'README.md:1', code: '', needs: ['nothing'] })).toThrow('README.md:1')
  })
})

describe('a document', () => {
  const named = manuals().map((document) => [document.path, membersNamedIn(document)] as const)
  const fileOf = (path: string): string => `members-of-${path.replace(/\W/g, '-')}.ts`
  let said = ''
  beforeAll(() => {
    const imports = [
      `import type { Session, SessionClient, SessionStore, Transcript } from 'keepsession'`,
      `import type { SessionManager } from 'keepsession/aixgo'`,
      `import type { DeviceSync } from 'keepsession/sync'`,
    ]
    const owners = Object.entries(OWNERS).map(([name, type]) => `declare const ${name}: ${type}`)
    for (const [path, members] of named)
      app.write(fileOf(path), [...imports, ...owners, ...members.map((member) => `${member};`), 'export {}'].join('\n'))
    said = complaints(
      named.map(([path]) => fileOf(path)),
      STRICT,
    )
  })

  it.each(named)('%s names members that there are', (path, members) => {
    expect(said.split('\n').filter((line) => line.startsWith(fileOf(path)))).toEqual([])
    if (path === 'README.md') expect(members).toContain('session.append')
  })

  it('makes the compiler say nothing of anything else', () => expect(said).toBe(''))
})

/**
 * Runs a block in a Node process of its own, which has to end by itself; gives what an expression after it comes to.
 */
async function run(begin: string, expression: string): Promise<unknown> {
  const block = blockWith(begin)
  const { code } = await transform(`${moduleOf(block)}\nconsole.log(JSON.stringify(${expression}))`, {
    loader: 'ts',
    format: 'esm',
    target: 'es2022',
  })
  app.write('block.mjs', `${code}\nprocess.exit()`)
  const output = execFileSync(process.execPath, ['--experimental-websocket', 'block.mjs'], {
    cwd: app.root,
    encoding: 'utf8',
    timeout: 60_000,
  })
  return JSON.parse(output.trim().split('\n').at(-1)!)
}

describe('on a server, too,', () => {
  it('a reply of the first example is kept', async () => {
    expect(
      await run('Why is the sky blue?', '(await session.messages()).map(({ role, content }) => [role, content])'),
    ).toEqual([
      ['user', 'Why is the sky blue?'],
      ['assistant', 'You said 1 things.'],
    ])
  })

  it('the session of a message is what the comments say', async () => {
    const told =
      '[session.key.slice(0, 6), session.identity.matchedBy, session.identity.scope.values, session.identity.conflicts, main.key !== session.key]'
    expect(await run('session.identity.matchedBy', told)).toEqual([
      'sk_v1_',
      'dispatch.rule:help',
      { chat: 'group:-100', sender: 'alice' },
      [],
      true,
    ])
  })

  it('a context has what the comments say', async () => {
    expect(
      await run('session.compact', '[context.messages, Object.keys(context.tokens).sort(), context.leftOut]'),
    ).toEqual([[], ['memo', 'messages', 'summary', 'tools', 'total'], 0])
  })

  it('both sides of a chat are written back', async () => {
    const roles = '(await session.messages()).map(({ role }) => role)'
    expect(await run('createMemoSession', roles)).toEqual(['user', 'assistant'])
  })

  it("an agent's input and result are kept", async () => {
    expect(await run('runWithSession', '(await session.messages()).map(({ role }) => role)')).toEqual([
      'user',
      'assistant',
    ])
  })
})
