import type { TabWorld } from '../ground.ts'

/**
 * In a page: turns as an agent makes them, one call after the other, until the page is gone. A user's message and the
 * answer, streamed, are strict; calls of tools and their results are relaxed. Says each text that was acknowledged, and
 * which are `strict`: from then on all that this tab was told before has to survive a power cut.
 */
export async function turnsForever(
  { sdk, say }: TabWorld,
  { name, session: key }: { readonly name: string; readonly session: string },
): Promise<void> {
  const client = await sdk.openSessionStore({ name, timeoutMs: 30_000 })
  const session = await client.session(key)
  void (async () => {
    for (let n = 0; ; ) {
      const next = (): string => `${key}#${n++}`
      const user = next()
      await session.append({ role: 'user', content: user })
      say({ session: key, text: user, strict: true })
      for (let step = 0; step < 4; step++) {
        const [call, result] = [next(), next()]
        const id = `call-${n}`
        await session.append({
          role: 'assistant',
          content: call,
          tool_calls: [{ id, type: 'function', function: { name: 'look', arguments: '{}' } }],
        })
        say({ session: key, text: call })
        await session.append({ role: 'tool', content: result, tool_call_id: id })
        say({ session: key, text: result })
      }
      const stream = session.stream()
      stream.write(next())
      await stream.end()
      say({ session: key, text: stream.text, strict: true })
    }
  })()
}
