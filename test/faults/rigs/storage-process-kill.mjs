// Kills the process that keeps WebKit's databases, under a page that appends, and looks whether the page goes on without a reload, and whether
// anything that was acknowledged is missing or there twice.
//
//   node test/faults/rigs/storage-process-kill.mjs [rounds]      after `npm run build`
//
// Needs MiniBrowser (apt-get install webkit2gtk-driver) and, without a display, Xvfb. Never under WebDriver, whose session dies with the process.
import { spawn } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { extname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const miniBrowser = '/usr/lib/x86_64-linux-gnu/webkit2gtk-4.1/MiniBrowser'
const dist = fileURLToPath(new URL('../../../dist', import.meta.url))
/** Messages acknowledged before the kill, and after it. */
const [before, after] = [40, 40]
/** Far more than is needed, so that a slow machine is no failure. */
const patienceMs = 90_000

const page = `<!doctype html><title>loading</title><script type="module">
  import { openSessionStore } from './dist/index.js'
  const post = async (path, body) => {
    for (;;) {
      try { return await (await fetch(path, { method: 'POST', body: JSON.stringify(body) })).text() } catch { await new Promise((resolve) => setTimeout(resolve, 100)) }
    }
  }
  const notices = []
  const store = await openSessionStore({ name: 'killed', onChange: (change) => void (change.type === 'notice' && notices.push(change.name + ': ' + change.message)) })
  const session = await store.session('k')
  await post('/loaded', 1)
  let failures = 0
  for (let n = 0; ; n++) {
    const wanted = []
    for (let i = 0; i < 4; i++) wanted.push(session.append({ role: i % 2 ? 'assistant' : 'user', content: n + '.' + i }).then(() => n + '.' + i, () => { failures++ }))
    const stored = (await Promise.all(wanted)).filter(Boolean)
    const health = await store.health()
    const command = await post('/acknowledged', { stored, rung: health.recovery?.rung, failures })
    if (command === 'read') break
    await new Promise((resolve) => setTimeout(resolve, 10))
  }
  let contents
  for (let tries = 0; contents === undefined && tries < 50; tries++) {
    try { contents = (await session.messages()).map(({ content }) => content) } catch { await new Promise((resolve) => setTimeout(resolve, 500)) }
  }
  await post('/contents', { contents, notices, health: await store.health(), failures })
</script>`

const types = { '.js': 'text/javascript', '.html': 'text/html' }

async function round() {
  const home = await mkdtemp(join(tmpdir(), 'keepsession-webkit-'))
  const acknowledged = []
  let loads = 0
  let sinceKill
  let tell
  const told = new Promise((resolve) => (tell = resolve))
  let network
  const server = createServer(async (request, response) => {
    const url = new URL(request.url, 'http://localhost').pathname
    if (request.method === 'GET') {
      if (url === '/') return response.writeHead(200, { 'content-type': 'text/html' }).end(page)
      const body = await readFile(join(dist, url.replace(/^\/dist\//, ''))).catch(() => undefined)
      return response.writeHead(body ? 200 : 404, { 'content-type': types[extname(url)] ?? 'application/octet-stream' }).end(body)
    }
    let text = ''
    for await (const piece of request) text += piece
    const body = JSON.parse(text)
    let answer = ''
    if (url === '/loaded') loads++
    if (url === '/contents') tell(body)
    if (url === '/acknowledged') {
      acknowledged.push(...body.stored)
      if (sinceKill !== undefined) sinceKill += body.stored.length
      if (sinceKill === undefined && acknowledged.length >= before) {
        network = childrenOf(browser.pid).find(({ name }) => name.startsWith('WebKitNetwork'))
        process.kill(network.pid, 'SIGKILL')
        sinceKill = 0
      }
      if (sinceKill >= after && (body.rung === 'frame' || body.rung === 'worker')) answer = 'read'
    }
    response.writeHead(200).end(answer)
  })
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve))
  const env = { ...process.env, HOME: home, XDG_DATA_HOME: join(home, 'data'), XDG_CACHE_HOME: join(home, 'cache'), XDG_CONFIG_HOME: join(home, 'config'), WEBKIT_DISABLE_SANDBOX_THIS_IS_DANGEROUS: '1', WEBKIT_DISABLE_COMPOSITING_MODE: '1' }
  const started = []
  if (!env.DISPLAY) {
    const display = `:${200 + (process.pid % 700)}`
    started.push(spawn('Xvfb', [display, '-screen', '0', '800x600x24', '-nolisten', 'tcp'], { stdio: 'ignore' }))
    env.DISPLAY = display
    await new Promise((resolve) => setTimeout(resolve, 1500))
  }
  const browser = spawn(miniBrowser, [`http://127.0.0.1:${server.address().port}/`], { env, stdio: 'ignore', detached: true })
  let timer
  try {
    const late = new Promise((_, reject) => (timer = setTimeout(() => reject(new Error(`Nothing within ${patienceMs} ms: ${acknowledged.length} acknowledged, ${sinceKill} of them since the kill.`)), patienceMs)))
    const { contents, health, notices, failures } = await Promise.race([told, late])
    const found = new Set(contents)
    return { acknowledged: acknowledged.length, lost: acknowledged.filter((one) => !found.has(one)).length, doubled: contents.length - found.size, reloads: loads - 1, rung: health.recovery?.rung, failures, notices, history: health.recovery?.history }
  } finally {
    clearTimeout(timer)
    // All of them are of one group, which is ours.
    try { process.kill(-browser.pid, 'SIGKILL') } catch {}
    for (const one of started) one.kill()
    server.close()
    server.closeAllConnections()
    await rm(home, { recursive: true, force: true, maxRetries: 5 })
  }
}

/** Processes that come from this one. */
function childrenOf(root) {
  const all = readdirSync('/proc').filter((name) => /^\d+$/.test(name)).flatMap((pid) => {
    try {
      const [, name, rest] = /\((.*)\) (.*)/s.exec(readFileSync(`/proc/${pid}/stat`, 'utf8'))
      return [{ pid: Number(pid), name, parent: Number(rest.split(' ')[1]) }]
    } catch { return [] }
  })
  const found = []
  for (const next = [root]; next.length > 0; ) {
    const parent = next.pop()
    for (const one of all) if (one.parent === parent) { found.push(one); next.push(one.pid) }
  }
  return found
}

const rounds = Number(process.argv[2] ?? 3)
let bad = 0
for (let n = 1; n <= rounds; n++) {
  const result = await round().catch((error) => ({ error: error.message }))
  const isGood = result.error === undefined && result.lost === 0 && result.doubled === 0 && result.reloads === 0
  if (!isGood) bad++
  console.log(`${n}: ${isGood ? 'good' : 'BAD'} ${JSON.stringify(result)}`)
}
console.log(`${rounds - bad} of ${rounds} recovered without a reload, with nothing lost or doubled`)
process.exitCode = bad === 0 ? 0 : 1
