import { expect, it } from 'vitest'
import type { InspectorElement } from '../../src/inspector/inspector-element.ts'
import { openInspector } from '../../src/inspector/open-inspector.ts'
import { useClients } from '../bindings/support/open-clients.ts'
import { countedStore } from './support/counted-store.ts'
import { pressKey, usePanels } from './support/open-panel.ts'

const open = useClients()
const inspect = usePanels()
const views = ['Log', 'Branches', 'Drafts', 'Context', 'Tabs', 'Storage', 'Sync', 'Commits', 'Tools', 'Sessions']

it('is closed by its button, by Escape and by its disposer, and gives the focus back', async () => {
  const client = await open()
  const before = document.body.appendChild(document.createElement('button'))
  before.focus()
  const byButton = inspect(client)
  expect(document.activeElement).toBe(byButton.opened.element)
  byButton.press('Close')
  expect(document.activeElement).toBe(before)

  const byKey = inspect(client)
  expect(byKey.root.activeElement?.textContent).toBe('Sessions')
  pressKey(byKey.root, 'Escape')
  expect(byKey.opened.element.isConnected).toBe(false)

  {
    using opened = openInspector(client)
    expect(opened.element.isConnected).toBe(true)
  }
  expect(document.querySelector('keepsession-inspector')).toBeNull()
  before.remove()
})

it('follows nothing any more once it is closed, in whatever view it was', async () => {
  const client = await open()
  await (await client.session('a')).append({ role: 'user', content: 'hello' })
  for (const view of views) {
    const counted = countedStore(client)
    const panel = inspect(counted.client)
    expect(counted.subscriptions()).toBe(1)
    panel.go(view)
    panel.opened.close()
    expect(counted.subscriptions()).toBe(0)
    expect(panel.root.childElementCount).toBe(0)
  }
})

it('changes nothing in a store unless it may, and offers no button that would', async () => {
  const client = await open()
  const session = await client.session('a')
  await session.append({ role: 'user', content: 'hello' })
  const counted = countedStore(client)
  const panel = inspect(counted.client, { actions: [{ label: 'Kill the worker', run: () => undefined }] })
  await expect.poll(panel.rows).toHaveLength(1)
  panel.row('a').click()
  const labels = new Set<string>()
  for (const view of views) {
    panel.go(view)
    await expect.poll(panel.text).not.toBe('')
    for (const { textContent } of panel.view().querySelectorAll('button')) labels.add(textContent ?? '')
  }
  panel.go('Tools')
  panel.press('Verify everything')
  await expect.poll(panel.text).toContain('1 entry in 1 session, 0 problems')
  expect([...labels].filter((label) => /repair|flush|offline|quota|kill/i.test(label))).toEqual([])
  const reads = new Set([
    ...[
      'read',
      'find',
      'findByMid',
      'getVector',
      'changes',
      'listDrafts',
      'claimTerm',
      'unflushed',
      'resolveSessionKey',
    ],
    ...['session', 'listSessions', 'usage', 'health', 'verify'],
  ])
  expect(
    counted.calls.filter(({ method, args }) => !reads.has(method) || (method === 'claimTerm' && args.length > 0)),
  ).toEqual([])
  expect((await session.meta())?.messageCount).toBe(1)
})

it('offers repairs and the actions of the app where it may write', async () => {
  const client = await open()
  let kills = 0
  const panel = inspect(client, {
    mayWrite: true,
    actions: [
      { label: 'Kill the worker', run: () => `killed ${++kills}` },
      { label: 'Break', run: () => Promise.reject(new RangeError('It broke.')) },
    ],
  })
  panel.go('Tools')
  panel.press('Kill the worker')
  await expect.poll(panel.text).toContain('Kill the worker: killed 1')
  panel.press('Break')
  await expect.poll(panel.text).toContain('Break: RangeError: It broke.')
  panel.press('Repair everything')
  await expect.poll(panel.text).toContain('Repair everything: 0 problems, 0 repaired')
})

it('shows whatever an action returns, and waits no longer for one that was stopped', async () => {
  const client = await open()
  const panel = inspect(client, {
    mayWrite: true,
    actions: [
      { label: 'Count', run: () => 7 },
      { label: 'Hang', run: () => new Promise(() => undefined) },
    ],
  })
  panel.go('Tools')
  panel.press('Count')
  await expect.poll(panel.text).toContain('Count: 7')
  panel.press('Hang')
  await expect.poll(panel.text).toContain('Hang…')
  panel.press('Stop')
  await expect.poll(panel.text).toContain('Hang: no longer waited for')
  panel.press('Count')
  await expect.poll(panel.text).toContain('Count: 7')
})

it('keeps what is typed into it from the keys of the app', async () => {
  const panel = inspect(await open())
  const heard: string[] = []
  const hear = ({ type, key }: KeyboardEvent): void => void heard.push(`${type} ${key}`)
  const kinds = ['keydown', 'keypress', 'keyup'] as const
  const type = (selector: string, key: string): void => {
    const field = panel.root.querySelector(selector)!
    for (const kind of kinds) field.dispatchEvent(new KeyboardEvent(kind, { key, bubbles: true, composed: true }))
  }
  for (const kind of kinds) document.addEventListener(kind, hear)
  try {
    type('[type=search]', 'j')
    type('select', 'k')
    type('[role=tab]', 'l')
    expect(heard).toEqual(['keydown l', 'keypress l', 'keyup l'])
    type('[type=search]', 'Escape')
    expect(panel.opened.element.isConnected).toBe(false)
  } finally {
    for (const kind of kinds) document.removeEventListener(kind, hear)
  }
})

it('goes from tab to tab and from row to row with the arrow keys', async () => {
  const client = await open()
  for (const key of ['a', 'b', 'c']) await (await client.session(key)).append({ role: 'user', content: key })
  const panel = inspect(client)
  await expect.poll(panel.rows).toHaveLength(3)
  pressKey(panel.root, 'ArrowRight')
  expect(panel.root.activeElement?.id).toBe('tab-Log')
  pressKey(panel.root, 'Home')
  expect(panel.root.activeElement?.id).toBe('tab-Sessions')
  await expect.poll(panel.rows).toHaveLength(3)
  const stops = panel.view().querySelectorAll<HTMLElement>('.canvas > [tabindex="0"]')
  expect(stops).toHaveLength(1)
  stops[0]!.focus()
  pressKey(panel.root, 'End')
  expect(panel.root.activeElement?.textContent).toContain('a')
  pressKey(panel.root, 'ArrowUp')
  expect(panel.root.activeElement?.textContent).toContain('b')
  pressKey(panel.root, 'Enter')
  await expect.poll(() => panel.rows().map((cells) => cells[1])).toEqual(['b'])
  expect(panel.root.activeElement?.id).toBe('tab-Log')
})

it('closes an entry by Escape, and stays open itself', async () => {
  const client = await open()
  await (await client.session('a')).append({ role: 'user', content: 'hello' })
  const panel = inspect(client)
  await expect.poll(panel.rows).toHaveLength(1)
  panel.row('a').click()
  await expect.poll(panel.text).toContain('hello')
  panel.row('hello').click()
  const detail = panel.view().querySelector<HTMLElement>('.detail')!
  detail.querySelector('button')!.focus()
  pressKey(panel.root, 'Escape')
  expect(detail.hidden).toBe(true)
  expect(panel.opened.element.isConnected).toBe(true)
  expect(panel.root.activeElement?.textContent).toContain('hello')
})

it('shows what users wrote as text, whatever it is', async () => {
  const client = await open()
  const html = '<img src=x onerror="document.title=\'run\'"><b>bold</b>'
  await (await client.session({ key: '<i>key</i>', title: html })).append({ role: 'user', content: html })
  const panel = inspect(client)
  await expect.poll(panel.rows).toHaveLength(1)
  panel.row(html).click()
  await expect.poll(panel.text).toContain(html)
  panel.row(html).click()
  expect(panel.root.querySelectorAll('img, b, i')).toHaveLength(0)
  expect(panel.text()).toContain('<i>key</i>')
})

it('is an element that shows a store once it is on a page and has a client, and another one after it', async () => {
  const [first, second] = [await open(), await open()]
  await (await first.session('one')).append({ role: 'user', content: 'hello' })
  const element = document.createElement('keepsession-inspector') as InspectorElement
  document.body.append(element)
  expect(element.shadowRoot!.childElementCount).toBe(0)
  const title = () => element.shadowRoot!.querySelector('h2')?.textContent
  element.client = first
  await expect.poll(title).toBe(`keepsession · ${first.name}`)
  element.client = second
  await expect.poll(title).toBe(`keepsession · ${second.name}`)
  element.remove()
  expect(element.shadowRoot!.childElementCount).toBe(0)
})

it('says what went wrong, and goes on', async () => {
  const client = await open()
  const broken = { ...client, upkeep: { ...client.upkeep, health: () => Promise.reject(new Error('no health today')) } }
  const panel = inspect(broken)
  panel.go('Storage')
  await expect.poll(panel.said).toContain('Error: no health today')
  await expect.poll(panel.text).toContain('Stored')
  panel.press('Dismiss')
  expect(panel.said()).toBe('')
})
