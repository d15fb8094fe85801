import type { TabWorld } from '../ground.ts'

/**
 * In a page: streams replies of 20 tokens into a session, one after the other, until the page is gone. Says the text of
 * each that was acknowledged.
 */
export async function streamForever(
  { sdk, say }: TabWorld,
  { name, session: key }: { readonly name: string; readonly session: string },
): Promise<void> {
  const client = await sdk.openSessionStore({ name, timeoutMs: 30_000 })
  const session = await client.session(key)
  // Timers of workers go on in hidden tabs.
  const clock = new Worker(URL.createObjectURL(new Blob(['setInterval(postMessage, 10, 0)'])))
  const tick = (): Promise<unknown> => new Promise((resolve) => (clock.onmessage = resolve))
  void (async () => {
    for (let n = 0; ; n++) {
      const stream = session.stream()
      stream.write(`${key}#${n}`)
      for (let token = 0; token < 20; token++) {
        stream.write(` t${token}`)
        await tick()
      }
      await stream.end()
      say({ session: key, text: stream.text })
    }
  })()
}
