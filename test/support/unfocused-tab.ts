import type { CDPSession } from 'playwright-core'

/**
 * A tab that can be hidden and frozen: Playwright keeps each of its own in focus, and what is in focus is never frozen.
 */
export interface UnfocusedTab {
  send(method: string, params?: object): Promise<unknown>
  /** Runs an expression in the page, and gives what its promise does. */
  evaluate(expression: string): Promise<unknown>
}

/** Opens one. @param devtools - of the browser */
export async function openUnfocusedTab(
  devtools: CDPSession,
  browserContextId: string,
  url: string,
): Promise<UnfocusedTab> {
  const { targetId } = await devtools.send('Target.createTarget', { url, browserContextId })
  const { sessionId } = await devtools.send('Target.attachToTarget', { targetId, flatten: false })
  const waiting = new Map<number, (answer: { readonly result?: unknown; readonly error?: unknown }) => void>()
  let last = 0
  devtools.on('Target.receivedMessageFromTarget', ({ sessionId: from, message }) => {
    if (from !== sessionId) return
    const answer = JSON.parse(message) as { readonly id?: number; readonly result?: unknown; readonly error?: unknown }
    if (answer.id !== undefined) waiting.get(answer.id)?.(answer)
  })
  const send = (method: string, params: object = {}): Promise<unknown> =>
    new Promise((resolve, reject) => {
      const id = ++last
      waiting.set(id, ({ result, error }) =>
        error === undefined ? resolve(result) : reject(new Error(`${method}: ${JSON.stringify(error)}`)),
      )
      devtools
        .send('Target.sendMessageToTarget', { sessionId, message: JSON.stringify({ id, method, params }) })
        .catch(reject)
    })
  const evaluate = async (expression: string): Promise<unknown> => {
    const { result, exceptionDetails } = (await send('Runtime.evaluate', {
      expression,
      awaitPromise: true,
      returnByValue: true,
    })) as { readonly result: { readonly value?: unknown }; readonly exceptionDetails?: unknown }
    if (exceptionDetails !== undefined) throw new Error(JSON.stringify(exceptionDetails))
    return result.value
  }
  // What is asked of the empty page before fails when it makes way.
  while (
    (await evaluate(`location.href !== 'about:blank' && document.readyState === 'complete'`).catch(() => false)) !==
    true
  )
    await new Promise((resolve) => setTimeout(resolve, 20))
  return { send, evaluate }
}
