import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Browser } from 'playwright-core'
import { build } from 'vite'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { workerSources } from '../../build/worker-sources.ts'
import { launchChromium } from '../support/launch-chromium.ts'
import { serve } from '../support/serve.ts'
import { collectReports } from './support/collect-reports.ts'
import type { PolicyWindow } from './support/policy-app/main.ts'

const strict = "default-src 'none'; script-src 'self'; worker-src 'self'; connect-src 'self'; img-src data:"
const trusted = "require-trusted-types-for 'script'"

let browser: Browser
let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'keepsession-policy-'))
  const root = fileURLToPath(new URL('support/policy-app', import.meta.url))
  const options = {
    root,
    configFile: false as const,
    logLevel: 'warn' as const,
    plugins: [workerSources()],
    worker: { format: 'es' as const },
    build: { outDir: folder, emptyOutDir: true },
  }
  ;[browser] = await Promise.all([launchChromium(), build(options)])
})
afterAll(async () => {
  await browser?.close()
  await rm(folder, { recursive: true, force: true })
})

/** Opens the app under a policy, and uses the store in it. */
async function useUnder(policy: string, how: 'plain' | 'own-worker' = 'plain', query = '') {
  const reports = await collectReports()
  const served = await serve(folder, { 'content-security-policy': `${policy}; report-uri ${reports.url}` })
  const context = await browser.newContext()
  try {
    const page = await context.newPage()
    await page.goto(`${served.url}/${query}`)
    await page.waitForFunction(() => 'use' in window)
    const used = await page.evaluate((given) => (window as unknown as PolicyWindow).use(given), how)
    return { ...used, broken: [...new Set(reports.broken)] }
  } finally {
    await context.close()
    await served.close()
    await reports.close()
  }
}
const whole = { found: 1, problems: 0, history: 1 }

it('breaks no policy that allows scripts and workers of its own origin only', async () => {
  expect(await useUnder(strict)).toEqual({ ...whole, mode: 'worker', skipped: [], broken: [] })
})

it('needs nothing but a default policy for script URLs under Trusted Types', async () => {
  expect(await useUnder(`${strict}; ${trusted}; trusted-types default`, 'plain', '?default-policy')).toEqual({
    ...whole,
    mode: 'worker',
    skipped: [],
    broken: [],
  })
})

it('takes a worker that the app made under Trusted Types, and does its jobs in the page', async () => {
  const { broken, ...used } = await useUnder(`${strict}; ${trusted}; trusted-types app`, 'own-worker')
  expect(used).toEqual({ ...whole, mode: 'worker', skipped: [] })
  // It tried to make the other workers itself.
  expect(broken).toEqual(['require-trusted-types-for trusted-types-sink'])
})

it('works in the page, and says why, under Trusted Types that nobody prepared for', async () => {
  const { skipped, ...used } = await useUnder(`${strict}; ${trusted}; trusted-types 'none'`)
  expect(used).toMatchObject({ ...whole, mode: 'in-page' })
  expect(skipped).toEqual([
    { mode: 'worker', reason: expect.stringContaining('TrustedScriptURL') },
    { mode: 'inline-worker', reason: expect.stringContaining('TrustedScriptURL') },
  ])
})

it('works in the page where no workers are allowed', async () => {
  expect(await useUnder(strict.replace("worker-src 'self'", "worker-src 'none'"))).toMatchObject({
    ...whole,
    mode: 'in-page',
  })
})
