import type { ChildProcess } from 'node:child_process'
import type { Duplex } from 'node:stream'

/** Chromium's own tools, over a pipe, so that no test driver changes how its pages are run. */
export interface DevTools {
  /**
   * Calls a method of the protocol.
   *
   * @param target - the tab it is about; absent: the browser
   */
  send(method: string, parameters?: object, target?: string): Promise<any>
  /** Resolves when the tab tells of an event of this name, which has to be enabled, with the time at which it came. */
  event(name: string, target: string): Promise<number>
  /** Opens a tab in front of the others; gives its target. */
  open(url: string): Promise<string>
}

/** Speaks with a Chromium that was started with `--remote-debugging-pipe`: messages are JSON that ends with a NUL. */
export function speakWith(child: ChildProcess): DevTools {
  const [toBrowser, fromBrowser] = [child.stdio[3] as Duplex, child.stdio[4] as Duplex]
  const asked = new Map<
    number,
    { readonly resolve: (value: unknown) => void; readonly reject: (error: Error) => void }
  >()
  const sessions = new Map<string, Promise<string>>()
  const awaited = new Set<{ readonly name: string; readonly session: string; readonly resolve: (at: number) => void }>()
  let lastId = 0
  let rest = ''
  fromBrowser.setEncoding('utf8').on('data', (data: string) => {
    const messages = (rest + data).split('\0')
    rest = messages.pop()!
    for (const message of messages) {
      const { id, result, error, method, sessionId, params } = JSON.parse(message) as {
        readonly id?: number
        readonly result?: unknown
        readonly error?: { readonly message: string }
        readonly method?: string
        readonly sessionId?: string
        readonly params?: { readonly sessionId: string; readonly targetInfo: { readonly targetId: string } }
      }
      // What attached itself, such as a worker of a page that was asked to.
      if (method === 'Target.attachedToTarget' && params !== undefined)
        sessions.set(params.targetInfo.targetId, Promise.resolve(params.sessionId))
      for (const one of awaited)
        if (one.name === method && one.session === sessionId && awaited.delete(one)) one.resolve(Date.now())
      const call = id === undefined ? undefined : asked.get(id)
      if (id !== undefined) asked.delete(id)
      if (error === undefined) call?.resolve(result)
      else call?.reject(new Error(error.message))
    }
  })
  // A browser that is gone answers nothing any more.
  const end = (): void => {
    for (const { reject } of asked.values()) reject(new Error('Chromium has ended.'))
    asked.clear()
  }
  for (const pipe of [toBrowser, fromBrowser]) pipe.on('error', end).on('close', end)

  const call = (method: string, params: object, sessionId?: string): Promise<any> =>
    new Promise((resolve, reject) => {
      const id = ++lastId
      asked.set(id, { resolve, reject })
      toBrowser.write(`${JSON.stringify({ id, method, params, ...(sessionId === undefined ? {} : { sessionId }) })}\0`)
    })
  const attach = async (targetId: string): Promise<string> =>
    (await call('Target.attachToTarget', { targetId, flatten: true })).sessionId
  const sessionOf = (target: string): Promise<string> => {
    const known = sessions.get(target) ?? attach(target)
    sessions.set(target, known)
    return known
  }
  return {
    send: async (method, parameters = {}, target) =>
      call(method, parameters, target === undefined ? undefined : await sessionOf(target)),
    async event(name, target) {
      const session = await sessionOf(target)
      return new Promise((resolve) => awaited.add({ name, session, resolve }))
    },
    open: async (url) => (await call('Target.createTarget', { url })).targetId,
  }
}
