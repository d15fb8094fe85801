import { launchBench } from './launch-bench.ts'
import type { RunCase } from './page/main.ts'
import type { CaseResult, Effort, PageCase } from './sample.ts'

export interface BenchPages {
  /** Runs a case in a page of its own. All cases share a browser and its databases. */
  run(name: PageCase, effort: Effort): Promise<CaseResult>
  readonly version: string
  close(): Promise<void>
}

export async function openBenchPages(): Promise<BenchPages> {
  const browser = await launchBench()
  return {
    version: browser.version,
    close: browser.close,
    run: async (name, effort) => {
      const page = await browser.context.newPage()
      try {
        page.on('console', (message) => console.error(message.text()))
        page.on('pageerror', (error) => console.error(error))
        await page.goto(browser.url)
        await page.waitForFunction(() => 'runCase' in globalThis)
        return await page.evaluate(
          ([name, effort]) => (globalThis as unknown as { runCase: RunCase }).runCase(name, effort),
          [name, effort] as const,
        )
      } finally {
        await page.close()
      }
    },
  }
}
