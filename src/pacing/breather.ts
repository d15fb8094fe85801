/** How long work may run before other tasks get a turn. It is half of the time that makes a frame late. */
const stretchMs = 8

/** Lets other tasks run (input, painting, a cancel message) when enough time has passed since they last did. */
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

/** Does work that comes in steps, and lets other tasks run in between. */
export async function inBreaths<T>(steps: Generator<void, T, undefined>, breathe: Breather): Promise<T> {
  for (;;) {
    const { done, value } = steps.next()
    if (done === true) return value
    const pause = breathe()
    if (pause !== undefined) await pause
  }
}

/** It uses a message to itself, because nested timers wait 4 ms. */
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
