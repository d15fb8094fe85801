import { execFileSync } from 'node:child_process'
import { stop, transform } from 'esbuild-wasm'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Consumer, createConsumer, link } from '../packaging/consumer.ts'
import { blocksOf, markdownIn, readDocument } from '../support/documents.ts'
import { launchChromium } from '../support/launch-chromium.ts'
import { type Served, serve } from '../support/serve.ts'

const contents = `messages.map(({ content }) => content)`

/** For each program of a guide, an expression in its terms, and the value that it must have at the end. */
const OUTCOMES: Readonly<Record<string, readonly [expression: string, value: unknown]>> = {
  'content-security-policy': ['[mode, durable]', ['worker', true]],
  encryption: [`[refused, ${contents}]`, [true, ['My secret']]],
  leadership: [contents, ['Cleaned up']],
  testing: [contents, ['Hello']],
  'end-to-end': ['[recovery.length > 50, typeof sync.getSnapshot().status.state]', [true, 'string']],
  servers: ['await countSessions()', 0],
  sync: ['(await session.messages()).map(({ content }) => content)', ['Written on one device']],
}
/** A Service Worker and the settings of its build, which are compiled by test/packaging/blocks.test.ts. */
const ELSEWHERE = ['offline']
/** What the guide says to run in Node. */
const IN_NODE = ['testing']
/** What a program is given by its reader. */
const GIVEN: Readonly<Record<string, string>> = {
  'end-to-end': `const transport = { kind: 'hocuspocus', url: 'ws://127.0.0.1:1' } as const`,
  servers: `import { openSessionStore } from 'keepsession'`,
  sync: `const secret = 'secret'`,
}

const programs = markdownIn('site/guides').flatMap((path) =>
  blocksOf(readDocument(path))
    .filter(({ language }) => language === 'ts' || language === 'js')
    .map(({ code }) => [/([\w-]+)\.md$/.exec(path)![1]!, code] as const),
)

let app: Consumer
let served: Served
let browser: Browser
beforeAll(async () => {
  app = await createConsumer()
  for (const name of ['yjs', 'lib0']) link(name, app.root)
  served = await serve(app.root)
  browser = await launchChromium()
})
afterAll(async () => {
  await browser?.close()
  await served?.close()
  app?.remove()
  await stop()
})

const from = (path: string): string => `/node_modules/keepsession/dist/${path}.js`
const IMPORTS = {
  imports: {
    keepsession: from('index'),
    'keepsession/direct': from('direct'),
    'keepsession/sync': from('sync'),
    'keepsession/sync/encryption': from('sync-encryption'),
  },
}

describe('the programs of the guides', () => {
  it('have a known outcome each', () => {
    const run = programs.map(([guide]) => guide).filter((guide) => !ELSEWHERE.includes(guide))
    expect(run.sort()).toEqual(Object.keys(OUTCOMES).sort())
  })

  it.each(programs.filter(([guide]) => !ELSEWHERE.includes(guide)))('%s: runs', async (guide, code) => {
    const [expression, value] = OUTCOMES[guide]!
    const result = IN_NODE.includes(guide)
      ? `console.log(JSON.stringify(${expression}))`
      : `window.outcome = ${expression}`
    const program = `${GIVEN[guide] ?? ''}\n${code}\n${result}`
    const module = await transform(program, { loader: 'ts', format: 'esm', target: 'es2022' })
    if (IN_NODE.includes(guide)) {
      app.write('guide.mjs', module.code)
      const printed = execFileSync(process.execPath, ['guide.mjs'], { cwd: app.root, encoding: 'utf8' })
      expect(JSON.parse(printed.trim().split('\n').at(-1)!)).toEqual(value)
      return
    }
    app.write('guide.js', module.code)
    const script = '<script type="module" src="/guide.js"></script>'
    app.write('guide.html', `<!doctype html><script type="importmap">${JSON.stringify(IMPORTS)}</script>${script}`)
    const page = await browser.newPage()
    try {
      const broken = new Promise<never>((_, reject) => page.once('pageerror', reject))
      const opened = page.goto(`${served.url}/guide.html`).then(() => page.waitForFunction(() => 'outcome' in window))
      await Promise.race([broken, opened])
      expect(await page.evaluate(() => (window as unknown as { outcome: unknown }).outcome)).toEqual(value)
    } finally {
      await page.close()
    }
  })
})
