// A realm of its own, as another tab is: nothing but the browser's own locks and database is shared with the next.

import { openSessionStore } from '../../../../src/client/opening/open-session-store.ts'
import { createSessionManager } from '../../../../src/dialects/aixgo/manager/create-session-manager.ts'

addEventListener(
  'message',
  async ({ data: { name, users } }: MessageEvent<{ readonly name: string; readonly users: readonly string[] }>) => {
    // As long as the test itself may take: several that open at once on a busy machine need more than the time that is
    // usual.
    const manager = createSessionManager(await openSessionStore({ name, modes: ['in-page'], timeoutMs: 50_000 }), {
      name,
    })
    postMessage('ready')
    addEventListener('message', async ({ data }: MessageEvent<'go' | 'sweep'>) => {
      if (data === 'sweep') return postMessage(await manager.sweep())
      const sessions = await Promise.all(users.map((user) => manager.getOrCreate('helper', user)))
      postMessage(sessions.map(({ key }) => key))
    })
  },
  { once: true },
)
