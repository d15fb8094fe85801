import { fileURLToPath } from 'node:url'
import type { BrowserContext } from 'playwright-core'
import { openProfile, serveBench } from './launch-bench.ts'
import type { RunCase } from './page/main.ts'
import type { CaseResult, Effort, PageCase } from './sample.ts'

export interface BenchPages {
  /**
   * Runs a case in a browser of its own, with a new profile: in that of another case, all contenders would be measured
   * together with what keepsession does in the background for a million messages that the other one left.
   */
  run(name: PageCase, effort: Effort): Promise<CaseResult>
  readonly version: string
  close(): Promise<void>
}

export async function openBenchPages(): Promise<BenchPages> {
  const served = await serveBench(fileURLToPath(new URL('./page', import.meta.url)))
  return {
    version: await inBrowser(async (context) => context.browser()?.version() ?? 'unknown'),
    close: served.close,
    run: (name, effort) =>
      inBrowser(async (context) => {
        const page = await context.newPage()
        page.on('console', (message) => console.error(message.text()))
        page.on('pageerror', (error) => console.error(error))
        await page.goto(served.url)
        await page.waitForFunction(() => 'runCase' in globalThis)
        return page.evaluate(
          ([name, effort]) => (globalThis as unknown as { runCase: RunCase }).runCase(name, effort),
          [name, effort] as const,
        )
      }),
  }
}

async function inBrowser<T>(use: (context: BrowserContext) => Promise<T>): Promise<T> {
  const profile = await openProfile()
  try {
    const context = await profile.start()
    try {
      return await use(context)
    } finally {
      await context.close()
    }
  } finally {
    await profile.remove()
  }
}
