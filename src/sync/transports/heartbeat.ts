/** Asks for a sign of life where nothing was heard for a while. */
export interface Heartbeat {
  /** Something was heard. */
  heard(): void
  stop(): void
}

/** @param ask - asks for anything that the other side answers */
export function startHeartbeat(everyMs: number, ask: () => void): Heartbeat {
  let lastHeard = Date.now()
  const timer = setInterval(() => {
    if (Date.now() - lastHeard >= everyMs / 2) ask()
  }, everyMs)
  return {
    heard: () => {
      lastHeard = Date.now()
    },
    stop: () => clearInterval(timer),
  }
}
