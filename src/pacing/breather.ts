/** How long work may go on before others get their turn. Half of what makes a frame late. */
const stretchMs = 8

/** Lets other tasks run (input, painting, a cancel message) when it has been called long enough since it last did. */
export type Breather = () => Promise<void> | undefined

export function createBreather(): Breather {
  let since = performance.now()
  return () => {
    if (performance.now() - since < stretchMs) return undefined
    return nextTask().then(() => {
      since = performance.now()
    })
  }
}

/** Does work that comes in steps, and lets others work in between. */
export async function inBreaths<T>(steps: Generator<void, T, undefined>, breathe: Breather): Promise<T> {
  for (;;) {
    const { done, value } = steps.next()
    if (done === true) return value
    const pause = breathe()
    if (pause !== undefined) await pause
  }
}

/** A message to oneself, because nested timers wait 4 ms. */
function nextTask(): Promise<void> {
  return new Promise((resolve) => {
    const { port1, port2 } = new MessageChannel()
    port1.onmessage = () => {
      port1.close()
      resolve()
    }
    port2.postMessage(undefined)
  })
}
