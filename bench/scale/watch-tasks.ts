import type { BrowserContext, Page } from 'playwright-core'

/** What the longest task of all pages took, in milliseconds. */
interface LongestTask {
  /** By the clock, in which the system may have given the processor to others. */
  readonly longest: number
  /** What it was at work itself, at most; this is what a page is judged by. */
  readonly busy: number
}

export interface TaskWatch {
  begin(): Promise<void>
  end(): Promise<LongestTask>
}

interface TraceEvent {
  readonly name: string
  readonly ph: string
  readonly pid: number
  readonly tid: number
  /** Microseconds by the clock, and of the thread's own work. */
  readonly dur?: number
  readonly tdur?: number
  readonly args: { readonly name?: string }
}

/**
 * Watches the tasks of all pages through the browser's own trace. A page can't tell what it was at work: where sixty
 * threads share two processors, each is put aside for tenths of a second in the middle of a task of one millisecond.
 */
export async function watchTasks(context: BrowserContext, page: Page): Promise<TaskWatch> {
  const devtools = await context.newCDPSession(page)
  let events: TraceEvent[] = []
  devtools.on('Tracing.dataCollected', ({ value }) => {
    for (const event of value as unknown as readonly TraceEvent[])
      if (event.name === 'thread_name' || event.name === 'RunTask') events.push(event)
  })
  return {
    begin: async () => {
      events = []
      await devtools.send('Tracing.start', {
        transferMode: 'ReportEvents',
        traceConfig: { includedCategories: ['disabled-by-default-devtools.timeline'], excludedCategories: ['*'] },
      })
    },
    end: async () => {
      const complete = new Promise((resolve) => devtools.once('Tracing.tracingComplete', resolve))
      await devtools.send('Tracing.end')
      await complete
      const threadOf = ({ pid, tid }: TraceEvent): string => `${pid} ${tid}`
      const pages = new Set(
        events.filter(({ name, args }) => name === 'thread_name' && args.name === 'CrRendererMain').map(threadOf),
      )
      if (pages.size === 0)
        throw new Error('The browser told of no page in its trace, so that nothing is known of their tasks.')
      const tasks = events.filter((event) => event.name === 'RunTask' && event.ph === 'X' && pages.has(threadOf(event)))
      const most = (of: (event: TraceEvent) => number | undefined): number =>
        tasks.reduce((most, event) => Math.max(most, of(event) ?? 0), 0) / 1000
      return { longest: most(({ dur }) => dur), busy: most(({ tdur }) => tdur) }
    },
  }
}
