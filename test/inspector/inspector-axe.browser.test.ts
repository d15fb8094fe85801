import axe from 'axe-core'
import { afterEach, expect, it } from 'vitest'
import { page } from 'vitest/browser'
import type { SessionClient } from '../../src/client/client-contract.ts'
import { viewNames } from '../../src/inspector/inspection.ts'
import { useClients } from '../bindings/support/open-clients.ts'
import { type Panel, usePanels } from './support/open-panel.ts'

const open = useClients()
const inspect = usePanels()
afterEach(() => {
  document.documentElement.style.colorScheme = ''
})

async function filled(): Promise<SessionClient> {
  const client = await open()
  const session = await client.session({ key: 'a', title: 'A conversation' })
  await client.store.updateMeta('a', { memo: { goal: 'see everything' } })
  for (const content of ['one', 'two', 'three']) await session.append({ role: 'user', content, id: content })
  await session.branches.before({ mid: 'three' }, { name: 'again' })
  await session.append({ role: 'assistant', content: 'another three' })
  return client
}

/** What axe finds wrong in the inspector. */
async function violations({ opened }: Panel): Promise<readonly string[]> {
  const { violations: found } = await axe.run(opened.element, { resultTypes: ['violations'] })
  return found.flatMap(({ id, nodes }) =>
    nodes.map(({ target, failureSummary }) => `${id}: ${target} ${failureSummary}`),
  )
}

it.each([
  ['light', 1280],
  ['dark', 1280],
  ['light', 390],
  ['dark', 390],
] as const)('gives axe nothing to say in any view, in %s colours and %i pixels', async (scheme, width) => {
  await page.viewport(width, 844)
  document.documentElement.style.colorScheme = scheme
  const client = await filled()
  const stream = (await client.session('a')).stream()
  stream.write('A reply that grows')
  await expect.poll(async () => (await client.store.listDrafts('a')).length).toBe(1)
  const panel = inspect(client, { mayWrite: true, actions: [{ label: 'Kill the worker', run: () => undefined }] })
  await expect.poll(panel.rows).toHaveLength(1)
  panel.row('A conversation').click()
  await expect.poll(panel.rows).toHaveLength(3)
  panel.row('another three').click()
  const shown: Readonly<Record<string, string>> = {
    Branches: 'again',
    Drafts: 'A reply that grows',
    Context: 'another three',
    Tabs: 'This tab',
    Storage: 'Stored',
  }
  for (const view of viewNames) {
    panel.go(view)
    await expect.poll(panel.text).toContain(shown[view] ?? '')
    expect([view, await violations(panel)]).toEqual([view, []])
  }
  panel.go('Log')
  panel.press('Stored')
  await expect.poll(panel.text).toContain('"crc"')
  expect(await violations(panel)).toEqual([])
  await stream.abort()
})
