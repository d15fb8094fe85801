/** The next error that nobody catches: what a listener throws is reported like that. The test runner does not see it. */
export function nextReported(): Promise<unknown> {
  const others = process.listeners('uncaughtException')
  process.removeAllListeners('uncaughtException')
  return new Promise((resolve) =>
    process.once('uncaughtException', (error) => {
      for (const listener of others) process.on('uncaughtException', listener)
      resolve(error)
    }),
  )
}
