import { execFileSync, spawn } from 'node:child_process'
import { cpSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type BrowserContext, chromium } from 'playwright-core'
import { vi } from 'vitest'
import { CHROMIUM_ARGS, findChromium } from '../support/chromium.mjs'
import { launchChromium } from '../support/launch-chromium.ts'
import { packed } from './consumer.ts'
import { freePort, isAnswered } from './free-port.ts'

export const examples = fileURLToPath(new URL('../../examples', import.meta.url))

/** An app of `examples` as who clones one has it, outside of the repository, with the package as it is published. */
export interface ExampleApp {
  readonly url: string
  /** A fresh profile of a browser. */
  readonly context: BrowserContext
  /** Ends the app and its browser, and deletes it. */
  remove(): Promise<void>
}

/** Installs an app of `examples`, and starts it. */
export async function startExample(name: string): Promise<ExampleApp> {
  const folder = await install(name)
  const started = await (name === 'extension' ? startExtension(folder) : startServer(folder))
  return {
    ...started,
    remove: async () => {
      await started.remove()
      rmSync(folder, { recursive: true, force: true, maxRetries: 10 })
    },
  }
}

/** @returns the folder of the app */
async function install(name: string): Promise<string> {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'keepsession-example-')))
  cpSync(join(examples, name), folder, { recursive: true, filter: (path) => !path.includes('node_modules') })
  const file = join(folder, 'package.json')
  const manifest = JSON.parse(readFileSync(file, 'utf8'))
  manifest.dependencies.keepsession = `file:${await packed()}`
  writeFileSync(file, JSON.stringify(manifest))
  execFileSync('npm', ['install', '--prefer-offline', '--no-audit', '--no-fund', '--loglevel=error'], { cwd: folder })
  return folder
}

async function startServer(folder: string): Promise<ExampleApp> {
  const port = await freePort()
  const app = spawn('npm', ['start', '--', '--port', String(port)], { cwd: folder, stdio: 'ignore', detached: true })
  const ended = new Promise((resolve) => app.once('exit', resolve))
  const url = `http://localhost:${port}/`
  const browser = await launchChromium()
  const remove = async (): Promise<void> => {
    await browser.close()
    process.kill(-app.pid!, 'SIGKILL')
    await ended
  }
  try {
    await vi.waitFor(() => isAnswered(url), { timeout: 120_000 })
    return { url, context: await browser.newContext(), remove }
  } catch (error) {
    await remove()
    throw error
  }
}

/** Builds the extension, and loads it as its user does from `chrome://extensions`. */
async function startExtension(folder: string): Promise<ExampleApp> {
  execFileSync('npm', ['start'], { cwd: folder, stdio: 'ignore' })
  const context = await chromium.launchPersistentContext('', {
    executablePath: findChromium()!,
    ignoreDefaultArgs: ['--disable-extensions'],
    args: [...CHROMIUM_ARGS, `--load-extension=${join(folder, 'dist')}`],
  })
  const worker = context.serviceWorkers()[0] ?? (await context.waitForEvent('serviceworker'))
  return { url: new URL('index.html', worker.url()).href, context, remove: () => context.close() }
}
