import { createRenderEffect, createSignal } from 'solid-js'
import { render } from 'solid-js/web'
import { afterEach, expect, it } from 'vitest'
import { useHealth, useSearch, useSessions, useTranscript } from '../../../src/bindings/solid/solid-signals.ts'
import type { SessionClient } from '../../../src/client/client-contract.ts'
import { countedClient } from '../support/counted-client.ts'
import { useClients } from '../support/open-clients.ts'
import { watchFrames } from '../support/watch-frames.ts'

const open = useClients()
const endings: (() => void)[] = []
afterEach(() => {
  for (const end of endings.splice(0)) end()
})

/** Mounts a chat of all signals, in one line of text. */
function mount(client: SessionClient, key: () => string, words: () => string = () => '') {
  const element = document.body.appendChild(document.createElement('div'))
  const frames = watchFrames(element)
  const dispose = render(() => {
    const list = useSessions(client, () => ({ order: 'title' as const }))
    const chat = useTranscript(client, key, { last: 2 })
    const found = useSearch(client, words)
    const health = useHealth(client)
    const line = document.createElement('b')
    line.onclick = () => void chat().loadEarlier()
    createRenderEffect(() => {
      const texts = [...chat().entries.map(({ message }) => message?.content), ...chat().drafts.map(({ text }) => text)]
      line.textContent = [
        `${list()
          .sessions.map(({ title }) => title)
          .join(',')} of ${list().total}`,
        `${key()} ${chat().status}: ${texts.join('|')}`,
        found()
          .hits.map(({ snippet }) => snippet.text)
          .join('|'),
        health().health?.mode,
      ].join('; ')
    })
    return line
  }, element)
  const unmount = (): void => {
    dispose()
    frames.stop()
    element.remove()
  }
  endings.push(unmount)
  return { element, frames, unmount, text: () => element.textContent }
}

it('shows what is stored in a component of Solid, live, and leaves nothing open', async () => {
  const client = await open()
  const session = await client.session({ key: 'a', title: 'A' })
  for (const content of ['one', 'two', 'three']) await session.append({ role: 'user', content })
  const { client: counted, open: left } = countedClient(client)
  const [words, setWords] = createSignal('')
  const { element, text, unmount } = mount(counted, () => 'a', words)
  await expect.poll(text).toBe('A of 1; a ready: two|three; ; worker')
  const reply = session.stream()
  reply.write('four')
  await expect.poll(text).toBe('A of 1; a ready: two|three|four; ; worker')
  await reply.end()
  element.querySelector('b')!.click()
  await expect.poll(text).toBe('A of 1; a ready: one|two|three|four; ; worker')
  setWords('four')
  await expect.poll(text).toBe('A of 1; a ready: one|two|three|four; four; worker')
  endings.splice(0)
  unmount()
  await expect.poll(left).toBe(0)
})

it('shows nothing of the old conversation under the name of the new one', async () => {
  const client = await open()
  for (const key of ['a', 'b']) await (await client.session(key)).append({ role: 'user', content: `of ${key}` })
  const [key, setKey] = createSignal('a')
  const { text, frames } = mount(client, key)
  await expect.poll(text).toContain('a ready: of a')
  setKey('b')
  await expect.poll(text).toContain('b ready: of b')
  expect(frames.all().filter((frame) => /b \w+: of a/.test(frame))).toEqual([])
  expect(frames.all().some((frame) => frame.includes('b loading: ;'))).toBe(true)
})
