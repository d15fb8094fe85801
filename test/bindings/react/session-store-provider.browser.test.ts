import * as react from 'react'
import { createElement as h, type ReactElement, StrictMode } from 'react'
import { renderToString } from 'react-dom/server'
import { afterEach, beforeAll, expect, it } from 'vitest'
import { SessionStoreProvider } from '../../../src/bindings/react/session-store-provider.ts'
import { useSessionStore } from '../../../src/bindings/react/store-context.ts'
import type { SessionClient } from '../../../src/client/client-contract.ts'
import { deleteSessionStore } from '../../../src/client/opening/delete-session-store.ts'
import { openSessionStore } from '../../../src/client/opening/open-session-store.ts'
import { useClients } from '../support/open-clients.ts'
import { Conversation, Health, List } from './chat.ts'
import { useMounting } from './mount.ts'

const names: string[] = []
afterEach(async () => {
  // A provider closes its store after it was unmounted; until then the store can't be deleted.
  const isDeleted = (name: string): Promise<boolean> =>
    deleteSessionStore(name).then(
      () => true,
      () => false,
    )
  for (const name of names.splice(0)) await expect.poll(() => isDeleted(name)).toBe(true)
})
const open = useClients()
const { mount, hydrate } = useMounting()

function newName(): string {
  const name = `provider-${crypto.randomUUID()}`
  names.push(name)
  return name
}

// A busy server takes its time for the first store of a page, more than a component is waited for.
beforeAll(async () => {
  const client = await openSessionStore({ name: newName() })
  await client.close()
})

/** Collects the clients that the provider above has provided. */
function Witness({ seen }: { readonly seen: Set<SessionClient> }): ReactElement {
  const client = useSessionStore()
  if (client !== undefined) seen.add(client)
  return h('i', null, client === undefined ? 'opening' : 'open')
}

it('opens a store once under StrictMode, and closes it when it is unmounted', async () => {
  const seen = new Set<SessionClient>()
  const options = { name: newName() }
  const app = mount(h(StrictMode, null, h(SessionStoreProvider, { options }, h(Witness, { seen }), h(List))))
  await expect.poll(app.text).toBe('openready:  of 0')
  app.unmount()
  expect(seen.size).toBe(1)
  const [client] = seen
  await expect.poll(() => client!.listSessions().catch((error: Error) => error.name)).toBe('StorageClosed')
})

it('leaves a client open that the app has opened', async () => {
  const client = await open()
  const seen = new Set<SessionClient>()
  const app = mount(h(SessionStoreProvider, { client }, h(Witness, { seen })))
  await expect.poll(app.text).toBe('open')
  expect([...seen]).toEqual([client])
  app.unmount()
  expect((await client.listSessions()).total).toBe(0)
})

it('waits for the promise of a client', async () => {
  const opening = open()
  const app = mount(
    h(SessionStoreProvider, { client: opening }, h(Witness, { seen: new Set<SessionClient>() }), h(List)),
  )
  await expect.poll(app.text).toBe('openready:  of 0')
})

it('opens the store of its options also when it was given no client before', async () => {
  const seen = new Set<SessionClient>()
  const options = { name: newName() }
  const app = mount(h(SessionStoreProvider, { client: undefined }, h(Witness, { seen })))
  await expect.poll(app.text).toBe('opening')
  app.show(h(SessionStoreProvider, { options }, h(Witness, { seen })))
  await expect.poll(app.text).toBe('open')
  expect([...seen].map(({ name }) => name)).toEqual([options.name])
})

it('opens another store for another key', async () => {
  const seen = new Set<SessionClient>()
  const [first, second] = [newName(), newName()]
  const appOf = (name: string): ReactElement =>
    h(SessionStoreProvider, { key: name, options: { name } }, h(Witness, { seen }))
  const app = mount(appOf(first))
  await expect.poll(app.text).toBe('open')
  app.show(appOf(second))
  await expect.poll(() => [...seen].map(({ name }) => name)).toEqual([first, second])
  app.unmount()
  for (const client of seen)
    await expect.poll(() => client.listSessions().catch((error: Error) => error.name)).toBe('StorageClosed')
})

it.skipIf(!('Activity' in react))(
  'opens another client when it is shown again, and provides the closed one no more',
  async () => {
    const seen = new Set<SessionClient>()
    const answers: string[] = []
    function Reader(): ReactElement {
      const client = useSessionStore()
      // React runs it again as soon as the component is shown again.
      react.useEffect(() => {
        client?.listSessions().then(
          () => answers.push('read'),
          (error: Error) => answers.push(error.name),
        )
      }, [client])
      return h('i')
    }
    const options = { name: newName() }
    // The same element each time, which React doesn't render again when it is shown.
    const content = h(SessionStoreProvider, { options }, h(Witness, { seen }), h(List), h(Reader))
    const appThatIs = (mode: 'visible' | 'hidden'): ReactElement => h(react.Activity, { mode, children: content })
    const app = mount(appThatIs('visible'))
    await expect.poll(app.text).toBe('openready:  of 0')
    await expect.poll(() => answers).toEqual(['read'])
    app.show(appThatIs('hidden'))
    const [first] = seen
    await expect.poll(() => first!.listSessions().catch((error: Error) => error.name)).toBe('StorageClosed')
    app.show(appThatIs('visible'))
    await expect.poll(() => seen.size).toBe(2)
    const second = [...seen][1]!
    await (await second.session({ key: 'a', title: 'a' })).append({ role: 'user', content: 'hello' })
    await expect.poll(app.text).toBe('openready: a of 1')
    await expect.poll(() => answers).toEqual(['read', 'read'])
  },
)

it('shows in every hook why the store could not be opened', async () => {
  const options = { name: newName(), modes: [] }
  const app = mount(h(SessionStoreProvider, { options }, h(List), h(Conversation, { target: 'a' }), h(Health)))
  await expect.poll(app.text).toMatch(/^error (\w+): {2}of 0a\(error \1\): error \1: undefined$/)
})

it('is told to be missing', () => {
  expect(() => renderToString(h(List))).toThrow('no <SessionStoreProvider> is above it')
})

it('hydrates what a server rendered, without a complaint, and then shows what is stored', async () => {
  const client = await open()
  await (await client.session({ key: 'a', title: 'a' })).append({ role: 'user', content: 'hello' })
  const app = (given: SessionClient | undefined): ReactElement =>
    h(
      StrictMode,
      null,
      h(
        SessionStoreProvider,
        { client: given },
        h(List),
        h(Conversation, { target: 'a' }),
        h(Health),
        h(Witness, { seen: new Set<SessionClient>() }),
      ),
    )
  const html = renderToString(app(undefined))
  const hydrated = hydrate(html, app(client))
  expect(hydrated.text()).toBe('loading:  of 0a(loading): loading: undefinedopening')
  await expect.poll(hydrated.text).toBe('ready: a of 1a(ready): helloready: workeropen')
})

it('hydrates a provider with options, and opens the store then', async () => {
  const options = { name: newName() }
  const app = h(SessionStoreProvider, { options }, h(List), h(Witness, { seen: new Set<SessionClient>() }))
  const hydrated = hydrate(renderToString(app), app)
  expect(hydrated.text()).toBe('loading:  of 0opening')
  await expect.poll(hydrated.text).toBe('ready:  of 0open')
})

it('opens nothing for a provider that is rendered only on a server', async () => {
  const name = newName()
  renderToString(h(SessionStoreProvider, { options: { name } }, h(List)))
  const other = await openSessionStore({ name: newName() })
  await other.close()
  expect((await indexedDB.databases()).map((database) => database.name)).not.toContain(name)
})
