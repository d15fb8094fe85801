import { readFile } from 'node:fs/promises'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join, normalize } from 'node:path'
import { fileURLToPath } from 'node:url'

/** What a piece of work in a tab is given. */
export interface TabWorld {
  readonly sdk: typeof import('../../src/index.ts')
  /** Tells the rig something, in order. What the browser dies before sending was never said. */
  readonly say: (what: unknown) => void
  /** Kept from one piece of work to the next, until the page goes. */
  readonly kept: Record<string, any>
}

export interface Tab {
  readonly name: string
  /** What it has said until now. */
  readonly said: readonly unknown[]
  /**
   * Runs a function in the page and gives what it resolves with. It travels as text, so it can use nothing but its
   * arguments.
   *
   * @throws Error what the page threw; that it did not answer in time, or that the page is gone
   */
  run<T, A = undefined>(
    work: (world: TabWorld, argument: A) => T | Promise<T>,
    argument?: A,
    withinMs?: number,
  ): Promise<T>
}

export interface Ground {
  /** The origin. */
  readonly url: string
  /** The address of a page that will be the tab of this name. */
  urlOf(tab: string): string
  /** The tab, once its page is there. @throws Error when it does not come in time */
  tab(name: string, withinMs?: number): Promise<Tab>
  /** Forgets all tabs, after the browser was killed. What they were asked for rejects. */
  forget(): void
  close(): Promise<void>
}

/** Time for a page to come or to answer, in milliseconds: three browsers may be starting on a small machine. */
const patienceMs = 60_000

/**
 * A page that asks for work and does it, so that one rig can drive three browsers without a test driver in any of them.
 */
const PAGE = `<!doctype html><meta charset="utf-8"><title>Faults</title><link rel="icon" href="data:,">
<script type="importmap">{ "imports": { "dexie": "/modules/dexie/dist/dexie.mjs" } }</script>
<script type="module">
const tab = new URL(location.href).searchParams.get('tab')
const wait = (ms) => new Promise((resolve) => setTimeout(resolve, ms))
// Again while the process that fetches is not there: a rig may have killed it.
async function post(path, body) {
  for (let tries = 0; tries < 50; tries++) {
    try { return await fetch(path + '?tab=' + encodeURIComponent(tab), { method: 'POST', body: JSON.stringify(body) }) } catch { await wait(100) }
  }
}
const unsaid = []
let sending
async function send() {
  while (unsaid.length > 0) await post('/said', unsaid.splice(0))
  sending = undefined
}
const say = (what) => { unsaid.push(what); sending ??= send() }
addEventListener('unhandledrejection', ({ reason }) => say({ unhandled: String(reason?.stack ?? reason) }))
addEventListener('error', ({ message }) => say({ unhandled: message }))
const sdk = await import('/dist/index.js')
const world = { sdk, say, kept: {} }
for (;;) {
  const answer = await fetch('/next?tab=' + encodeURIComponent(tab)).catch(() => undefined)
  if (answer?.status !== 200) { await wait(100); continue }
  const { id, work, argument } = await answer.json()
  Promise.resolve().then(() => (0, eval)('(' + work + ')')(world, argument)).then(
    (value) => post('/done', { id, value }),
    (error) => post('/done', { id, error: String(error?.name) + ': ' + String(error?.message) + '\\n' + String(error?.stack) }),
  )
}
</script>`

interface Asked {
  readonly resolve: (value: never) => void
  readonly reject: (error: Error) => void
}

interface Desk {
  readonly tab: Tab & { readonly said: unknown[] }
  readonly queue: string[]
  readonly asked: Map<number, Asked>
  waiting: ServerResponse | undefined
}

const DIST = fileURLToPath(new URL('../../dist', import.meta.url))
const MODULES = fileURLToPath(new URL('../../node_modules', import.meta.url))

/** Serves the package as it was built, with the page that rigs work in, on a free port of this machine. */
export async function openGround({ port = 0 }: { readonly port?: number } = {}): Promise<Ground> {
  const desks = new Map<string, Desk>()
  const arrivals = new Map<string, () => void>()
  let lastId = 0

  function deskOf(name: string): Desk {
    const known = desks.get(name)
    if (known !== undefined) return known
    const queue: string[] = []
    const asked = new Map<number, Asked>()
    const run: Tab['run'] = (work, argument, withinMs = patienceMs) => {
      const id = ++lastId
      return new Promise<never>((resolve, reject) => {
        const timer = setTimeout(
          () =>
            fail(new Error(`The tab ${name} did not answer within ${withinMs} ms: ${work.toString().slice(0, 200)}`)),
          withinMs,
        )
        const settle = (): void => {
          clearTimeout(timer)
          asked.delete(id)
        }
        const fail = (error: Error): void => {
          settle()
          reject(error)
        }
        asked.set(id, { resolve: (value) => (settle(), resolve(value)), reject: fail })
        queue.push(JSON.stringify({ id, work: work.toString(), argument }))
        handOut(desk)
      })
    }
    const desk: Desk = { tab: { name, said: [], run }, queue, asked, waiting: undefined }
    desks.set(name, desk)
    return desk
  }
  function handOut(desk: Desk): void {
    if (desk.waiting === undefined || desk.queue.length === 0) return
    desk.waiting.writeHead(200, { 'content-type': 'application/json' }).end(desk.queue.shift())
    desk.waiting = undefined
  }

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://localhost')
    const name = searchParams.get('tab') ?? ''
    if (pathname === '/') return void response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' }).end(PAGE)
    if (pathname === '/next') {
      const desk = deskOf(name)
      desk.waiting?.end()
      desk.waiting = response
      request.once('close', () => desk.waiting === response && (desk.waiting = undefined))
      arrivals.get(name)?.()
      return handOut(desk)
    }
    if (request.method === 'POST') {
      const body = await textOf(request)
      response.writeHead(204).end()
      const desk = desks.get(name)
      if (desk === undefined) return
      if (pathname === '/said') return void desk.tab.said.push(...(JSON.parse(body) as unknown[]))
      const { id, value, error } = JSON.parse(body) as {
        readonly id: number
        readonly value?: never
        readonly error?: string
      }
      const asked = desk.asked.get(id)
      if (error === undefined) asked?.resolve(value as never)
      else asked?.reject(new Error(`In the tab ${name}: ${error}`))
      return
    }
    if (pathname === '/tokens') return streamTokens(request, response)
    const path = normalize(decodeURIComponent(pathname))
    const file = path.startsWith('/modules/')
      ? join(MODULES, path.slice('/modules/'.length))
      : path.startsWith('/dist/')
        ? join(DIST, path.slice('/dist/'.length))
        : undefined
    const content = file === undefined ? undefined : await readFile(file).catch(() => undefined)
    response.writeHead(content === undefined ? 404 : 200, { 'content-type': 'text/javascript' }).end(content)
  }

  // What breaks off with a browser that is killed needs no answer.
  const server = createServer((request, response) => void answer(request, response).catch(() => response.destroy()))
  server.keepAliveTimeout = 120_000
  await new Promise<void>((resolve, reject) => server.once('error', reject).listen(port, '127.0.0.1', resolve))
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const forget = (): void => {
    for (const { asked, tab } of desks.values())
      for (const { reject } of [...asked.values()]) reject(new Error(`The tab ${tab.name} is gone.`))
    desks.clear()
    arrivals.clear()
  }
  return {
    url,
    urlOf: (name) => `${url}/?tab=${encodeURIComponent(name)}`,
    async tab(name, withinMs = patienceMs) {
      const known = desks.get(name)
      if (known !== undefined) return known.tab
      let timer: ReturnType<typeof setTimeout> | undefined
      await new Promise<void>((resolve, reject) => {
        arrivals.set(name, resolve)
        timer = setTimeout(
          () => reject(new Error(`The page of the tab ${name} did not come within ${withinMs} ms.`)),
          withinMs,
        )
      }).finally(() => {
        clearTimeout(timer)
        arrivals.delete(name)
      })
      return deskOf(name).tab
    },
    forget,
    close: () =>
      new Promise((resolve) => {
        forget()
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

/**
 * A reply as a model sends it, 100 tokens a second: each says its number, and none is late because of a timer in the
 * page.
 */
function streamTokens(request: IncomingMessage, response: ServerResponse): void {
  response.writeHead(200, { 'content-type': 'text/plain' })
  let n = 0
  const timer = setInterval(() => response.write(`t${n++} `), 10)
  request.once('close', () => clearInterval(timer))
}

async function textOf(request: IncomingMessage): Promise<string> {
  const parts: Buffer[] = []
  for await (const part of request) parts.push(part as Buffer)
  return Buffer.concat(parts).toString()
}
