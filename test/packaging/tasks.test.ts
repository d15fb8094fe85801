import { stop, transform } from 'esbuild-wasm'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { blocksOf, readDocument } from '../support/documents.ts'
import { launchChromium } from '../support/launch-chromium.ts'
import { type Served, serve } from '../support/serve.ts'
import { type Consumer, createConsumer } from './consumer.ts'

/** A program of docs/tasks.md, named by its heading. */
interface Task {
  readonly heading: string
  readonly code: string
}

const document = readDocument('docs/tasks.md')
const tasks: readonly Task[] = document.text
  .split(/^## /m)
  .slice(1)
  .flatMap((text) => {
    const heading = text.slice(0, text.indexOf('\n'))
    return blocksOf({ path: document.path, text }).map(({ code }) => ({ heading, code }))
  })

const contents = (messages: string): string => `${messages}.map(({ content }) => content)`

/** For each task, an expression in the terms of its program, and the value that it must have at the end. */
const OUTCOMES: Readonly<Record<string, readonly [expression: string, value: unknown]>> = {
  'List the conversations': [
    '[sessions.map(({ title }) => title).sort(), total, next === undefined, page.sessions.map(({ key }) => key)]',
    [['Holidays', 'Taxes'], 2, true, ['taxes']],
  ],
  'Open a conversation and show it': ['[first.entries.length, first.more, all.length]', [50, true, 60]],
  'Append a message': [
    `[receipt.order.length > 0, ${contents('(await session.messages())')}]`,
    [true, ['Hello', 'Once']],
  ],
  'Stream a reply': [
    contents('(await session.messages())'),
    ['Why is the sky blue?', 'Because of Rayleigh scattering.'],
  ],
  'Stop a reply': [
    '[(await session.interrupted()).length, (await session.messages()).at(-1).content.startsWith("1 2 3 ")]',
    [1, true],
  ],
  'Resume a reply after a reload': [
    `[(await session.interrupted()).length, ${contents('(await session.messages())')}]`,
    [0, ['Why is the sky blue?', 'Because of Rayleigh scattering.']],
  ],
  'Regenerate, edit and switch': [
    `[fork.shown, fork.choices.length, ${contents('shown')}, ${contents('edited')}]`,
    [1, 2, ['Name a colour', 'Blue'], ['Name a fruit', 'A pear']],
  ],
  'Delete and undo': [
    `[trash.sessions.map(({ key }) => key), ${contents('back')}, left.total]`,
    [['chat-1'], ['Nothing', 'Hello'], 0],
  ],
  Search: [
    '[hits.length, misspelt.length, hit.snippet.text, before.entries.length]',
    [1, 1, 'Why is the blue sky blue?', 0],
  ],
  'Attach a file': [
    `[hash.length, await blob.text(), image.src.startsWith("blob:"),
      (await session.messages())[0].content[1].hash === hash]`,
    [64, '<svg xmlns="http://www.w3.org/2000/svg"/>', true, true],
  ],
  'Usage and quota': [
    '[typeof answer, usage.sessions, usage.largest.map(({ key }) => key), plan.dryRun, plan.done]',
    ['string', 1, ['chat-1'], true, []],
  ],
  'Export and import': [
    '[(await text.blob.text()).includes("Hello"), report.keys, report.added > 0, again.added]',
    [true, ['chat-1'], true, 0],
  ],
  'Sign out': ['[seenByBob.total, leftOfAda.total]', [0, 0]],
}

let app: Consumer
let browser: Browser
let served: Served
beforeAll(async () => {
  app = await createConsumer()
  served = await serve(app.root)
  browser = await launchChromium()
})
afterAll(async () => {
  await browser?.close()
  await served?.close()
  app?.remove()
  await stop()
})

const IMPORTS = { imports: { keepsession: '/node_modules/keepsession/dist/index.js' } }

/** Runs a program in a page of its own, in a fresh profile, and returns what the expression after it comes to. */
async function outcomeOf(code: string, expression: string): Promise<unknown> {
  const program = `${code}\nwindow.outcome = ${expression}`
  const module = await transform(program, { loader: 'ts', format: 'esm', target: 'es2022' })
  app.write('task.js', module.code)
  const script = '<script type="module" src="/task.js"></script>'
  app.write('task.html', `<!doctype html><script type="importmap">${JSON.stringify(IMPORTS)}</script>${script}`)
  const page = await browser.newPage()
  try {
    const broken = new Promise<never>((_, reject) => page.once('pageerror', reject))
    const opened = page.goto(`${served.url}/task.html`).then(() => page.waitForFunction(() => 'outcome' in window))
    await Promise.race([broken, opened])
    return await page.evaluate(() => (window as unknown as { outcome: unknown }).outcome)
  } finally {
    await page.close()
  }
}

describe('the tasks', () => {
  it('have one program each, and a known outcome', () => {
    expect(tasks.map(({ heading }) => heading)).toEqual(Object.keys(OUTCOMES))
  })

  it.each(tasks)('$heading: in at most 25 lines', ({ code }) => {
    expect(code.split('\n').length).toBeLessThanOrEqual(25)
  })

  it.each(tasks)('$heading: runs', async ({ heading, code }) => {
    const [expression, value] = OUTCOMES[heading]!
    expect(await outcomeOf(code, expression)).toEqual(value)
  })
})
