import { readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Page } from 'playwright-core'

interface TraceEvent {
  readonly name: string
  readonly pid: number
  readonly tid: number
  /** Microseconds by the clock, and of the processor. */
  readonly dur?: number
  readonly tdur?: number
  readonly args?: { readonly name?: string }
}

/** The longest task of a page, in milliseconds: by the clock, in which other programs take their turns, and of the processor. */
export interface LongestTask {
  readonly wallMs: number
  readonly cpuMs: number
}

/** Watches the main threads of a browser's pages while something is done. */
export async function tracePageTasks<T>(page: Page, work: () => Promise<T>): Promise<{ readonly result: T; readonly longest: LongestTask }> {
  const browser = page.context().browser()!
  const path = join(tmpdir(), `keepsession-trace-${process.pid}.json`)
  await browser.startTracing(page, { path, categories: ['disabled-by-default-devtools.timeline'] })
  const result = await work().finally(() => browser.stopTracing())
  const { traceEvents } = JSON.parse(await readFile(path, 'utf8')) as { readonly traceEvents: readonly TraceEvent[] }
  await rm(path)
  const threads = new Map(traceEvents.filter(({ name }) => name === 'thread_name').map(({ pid, tid, args }) => [`${pid}.${tid}`, args?.name]))
  const tasks = traceEvents.filter(({ name, pid, tid }) => name.endsWith('RunTask') && threads.get(`${pid}.${tid}`) === 'CrRendererMain')
  if (tasks.length === 0) throw new Error('The trace has no task of a page.')
  const longest = (of: (task: TraceEvent) => number | undefined): number => tasks.reduce((most, task) => Math.max(most, (of(task) ?? 0) / 1000), 0)
  return { result, longest: { wallMs: longest(({ dur }) => dur), cpuMs: longest(({ tdur }) => tdur) } }
}
