import type { TabWorld } from '../ground.ts'

/**
 * In a page: streams what the server sends, 100 tokens a second, into a session, and tells other tabs of each token and
 * when it was written, on a channel that the session's name is the name of. Resolves when the first has come, with
 * whether the tab can be seen.
 */
export async function streamTokens(
  { sdk, kept }: TabWorld,
  { name, session: key }: { readonly name: string; readonly session: string },
): Promise<DocumentVisibilityState> {
  const client = await sdk.openSessionStore({ name, timeoutMs: 30_000 })
  const session = await client.session(key)
  await session.append({ role: 'user', content: 'Tell me a long story.' })
  const stream = (kept['stream'] = session.stream())
  await stream.id
  const channel = new BroadcastChannel(key)
  const reader = (await fetch('/tokens')).body!.pipeThrough(new TextDecoderStream()).getReader()
  await new Promise<void>((resolve) => {
    void (async () => {
      for (;;) {
        const { value, done } = await reader.read()
        if (done) return
        stream.write(value)
        channel.postMessage({ length: stream.text.length, at: Date.now() })
        resolve()
      }
    })()
  })
  return document.visibilityState
}
