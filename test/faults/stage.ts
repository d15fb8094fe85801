import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Launch, type RunningBrowser, startBrowser } from './browsers/browser.ts'
import type { DevTools } from './browsers/devtools.ts'
import { type Ground, openGround, type Tab } from './ground.ts'
import type { Engine } from './rig.ts'

export interface Stage {
  readonly ground: Ground
  /** The folder of the browser's profile. */
  readonly profile: string
  /** The browser that runs. */
  readonly browser: RunningBrowser
  /** Starts the browser on the profile, with a page for each of these tabs. */
  start(tabs: readonly string[]): Promise<Tab[]>
  /** Opens one more tab, in front of the others. Chromium only. */
  open(name: string): Promise<{ readonly tab: Tab; readonly target: string }>
  /** Chromium's developer tools. */
  readonly devtools: DevTools
  /** Kills the browser with all its processes. */
  kill(): Promise<void>
  /** Has the browser end as it does when a person closes it. */
  stop(): Promise<void>
  /** Kills what runs and takes the profile away. */
  close(): Promise<void>
}

export interface StageOptions {
  readonly launch?: (launch: Launch) => Promise<RunningBrowser>
  readonly env?: Readonly<Record<string, string>>
  /** A folder of its own for the profile, which stays. Default: a new one. */
  readonly profile?: string
}

/** How long a browser may take to get its pages: now and then one stays away on a busy machine, and is started anew. */
const arrivalMs = 40_000

/** One browser with a profile of its own, and the server that its pages come from. */
export async function openStage(
  engine: Engine,
  { launch = (how) => startBrowser(engine, how), env, profile: given }: StageOptions = {},
): Promise<Stage> {
  const ground = await openGround()
  const profile = given ?? (await mkdtemp(join(tmpdir(), `keepsession-faults-${engine}-`)))
  let browser: RunningBrowser | undefined
  let starts = 0

  async function end(how: 'kill' | 'stop'): Promise<void> {
    const ending = browser
    browser = undefined
    await ending?.[how]()
    ground.forget()
  }
  async function start(names: readonly string[]): Promise<Tab[]> {
    for (let tries = 1; ; tries++) {
      // Each start has names of its own, so that nothing of an earlier page is taken for this one.
      const unique = names.map((name) => `${name}.${++starts}`)
      browser = await launch({
        profile,
        urls: unique.map((name) => ground.urlOf(name)),
        ...(env === undefined ? {} : { env }),
      })
      try {
        return await Promise.all(unique.map((name) => ground.tab(name, arrivalMs)))
      } catch (error) {
        await end('kill')
        if (tries === 3) throw error
      }
    }
  }
  const stage: Stage = {
    ground,
    profile,
    get browser() {
      if (browser === undefined) throw new Error('No browser runs.')
      return browser
    },
    get devtools() {
      if (browser?.devtools === undefined) throw new Error('No Chromium runs.')
      return browser.devtools
    },
    start,
    async open(name) {
      const unique = `${name}.${++starts}`
      const target = await stage.devtools.open(ground.urlOf(unique))
      return { tab: await ground.tab(unique), target }
    },
    kill: () => end('kill'),
    stop: () => end('stop'),
    async close() {
      await end('kill')
      await ground.close()
      if (given === undefined) await rm(profile, { recursive: true, force: true, maxRetries: 10, retryDelay: 200 })
    },
  }
  return stage
}
