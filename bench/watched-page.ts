import type { DevTools } from '../test/faults/browsers/devtools.ts'

/** A page whose workers can be looked into. */
export interface WatchedPage {
  /** Its target. */
  readonly target: string
  /** The targets of its workers, in the order in which they were started. */
  workers(): Promise<readonly string[]>
  /** Waits for what an expression gives. @throws what it throws */
  evaluate(expression: string): Promise<void>
}

/** Opens a page in a tab of its own, with Chromium's own tools. */
export async function openWatchedPage({ send, open, event }: DevTools, url: string): Promise<WatchedPage> {
  const target = await open('about:blank')
  await send('Page.enable', {}, target)
  await send('Target.setAutoAttach', { autoAttach: true, waitForDebuggerOnStart: false, flatten: true }, target)
  const loaded = event('Page.loadEventFired', target)
  await send('Page.navigate', { url }, target)
  await loaded
  return {
    target,
    evaluate: async (expression) => {
      const { exceptionDetails } = await send('Runtime.evaluate', { expression, awaitPromise: true }, target)
      if (exceptionDetails !== undefined) throw new Error(JSON.stringify(exceptionDetails))
    },
    workers: async () => {
      const { targetInfos } = (await send('Target.getTargets')) as {
        readonly targetInfos: readonly {
          readonly targetId: string
          readonly type: string
          readonly parentId?: string
        }[]
      }
      return targetInfos
        .filter(({ type, parentId }) => type === 'worker' && parentId === target)
        .map(({ targetId }) => targetId)
    },
  }
}
