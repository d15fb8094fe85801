import type { DevTools } from '../../test/faults/browsers/devtools.ts'

/** A page in which functions can be run. No test driver watches it: that would be told of every frame of a WebSocket. */
export interface DevicePage {
  /** @param act - uses nothing but what it is given and the globals of the page */
  evaluate<Given, Result>(act: (given: Given) => Result | Promise<Result>, given: Given): Promise<Result>
  close(): Promise<void>
}

/** @param ready - a global that the page has once it can be used */
export async function openDevicePage({ send, open, event }: DevTools, url: string, ready: string): Promise<DevicePage> {
  const target = await open('about:blank')
  await send('Page.enable', {}, target)
  const loaded = event('Page.loadEventFired', target)
  await send('Page.navigate', { url }, target)
  await loaded
  const run = async (expression: string): Promise<unknown> => {
    const { result, exceptionDetails } = await send(
      'Runtime.evaluate',
      { expression, awaitPromise: true, returnByValue: true },
      target,
    )
    if (exceptionDetails === undefined) return result.value
    throw new Error(exceptionDetails.exception?.description ?? exceptionDetails.text)
  }
  while ((await run(`'${ready}' in globalThis`)) !== true) await new Promise((resolve) => setTimeout(resolve, 20))
  return {
    evaluate: async (act, given) => (await run(`(${String(act)})(${JSON.stringify(given)})`)) as never,
    close: () => send('Target.closeTarget', { targetId: target }),
  }
}
