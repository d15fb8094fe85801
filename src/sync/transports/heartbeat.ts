/** Asks for a sign of life where nothing was heard for a while. */
export interface Heartbeat {
  /** Something was heard. */
  received(): void
  stop(): void
}

/** @param ask - asks for anything that the other side answers */
export function startHeartbeat(everyMs: number, ask: () => void): Heartbeat {
  let lastReceived = Date.now()
  const timer = setInterval(() => {
    if (Date.now() - lastReceived >= everyMs / 2) ask()
  }, everyMs)
  return {
    received: () => {
      lastReceived = Date.now()
    },
    stop: () => clearInterval(timer),
  }
}
