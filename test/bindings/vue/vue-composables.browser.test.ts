import { afterEach, expect, it } from 'vitest'
import { createApp, defineComponent, h, ref, type ShallowRef, shallowRef } from 'vue'
import { useHealth, useSearch, useSessions, useTranscript } from '../../../src/bindings/vue/vue-composables.ts'
import type { SessionClient } from '../../../src/client/client-contract.ts'
import { countedClient } from '../support/counted-client.ts'
import { useClients } from '../support/open-clients.ts'
import { watchFrames } from '../support/watch-frames.ts'

const open = useClients()
const endings: (() => void)[] = []
afterEach(() => {
  for (const end of endings.splice(0)) end()
})

/** A chat of all composables, in one line of text. */
const Chat = defineComponent({
  props: { client: { type: Object, required: true }, chatKey: String, words: { type: String, default: '' } },
  setup(props) {
    const client = (): SessionClient => props.client as SessionClient
    const list = useSessions(client, () => ({ order: 'title' as const }))
    const chat = useTranscript(client, () => props.chatKey, { last: 2 })
    const found = useSearch(client, () => props.words)
    const health = useHealth(client)
    return () => [
      `${list.value.sessions.map(({ title }) => title).join(',')} of ${list.value.total}; `,
      h('b', { onClick: () => chat.value.loadEarlier() }, `${props.chatKey} ${chat.value.status}: `),
      [...chat.value.entries.map(({ message }) => message?.content), ...chat.value.drafts.map(({ text }) => text)].join(
        '|',
      ),
      `; ${found.value.hits.map(({ snippet }) => snippet.text).join('|')}`,
      `; ${health.value.health?.mode}`,
    ]
  },
})

function mount(client: SessionClient, key: ShallowRef<string>, words = ref('')) {
  const element = document.body.appendChild(document.createElement('div'))
  const frames = watchFrames(element)
  const app = createApp(() => h(Chat, { client, chatKey: key.value, words: words.value }))
  app.mount(element)
  const unmount = (): void => {
    app.unmount()
    frames.stop()
    element.remove()
  }
  endings.push(unmount)
  return { element, frames, unmount, text: () => element.textContent }
}

it('shows what is stored in a component of Vue, live, and leaves nothing open', async () => {
  const client = await open()
  const session = await client.session({ key: 'a', title: 'A' })
  for (const content of ['one', 'two', 'three']) await session.append({ role: 'user', content })
  const { client: counted, open: left } = countedClient(client)
  const words = ref('')
  const { element, text, unmount } = mount(counted, shallowRef('a'), words)
  await expect.poll(text).toBe('A of 1; a ready: two|three; ; worker')
  const reply = session.stream()
  reply.write('four')
  await expect.poll(text).toBe('A of 1; a ready: two|three|four; ; worker')
  await reply.end()
  element.querySelector('b')!.click()
  await expect.poll(text).toBe('A of 1; a ready: one|two|three|four; ; worker')
  words.value = 'four'
  await expect.poll(text).toBe('A of 1; a ready: one|two|three|four; four; worker')
  endings.splice(0)
  unmount()
  await expect.poll(left).toBe(0)
})

it('shows nothing of the old conversation under the name of the new one', async () => {
  const client = await open()
  for (const key of ['a', 'b']) await (await client.session(key)).append({ role: 'user', content: `of ${key}` })
  const key = shallowRef('a')
  const { text, frames } = mount(client, key)
  await expect.poll(text).toContain('a ready: of a')
  key.value = 'b'
  await expect.poll(text).toContain('b ready: of b')
  expect(frames.all().filter((frame) => /b \w+: of a/.test(frame))).toEqual([])
  expect(frames.all().some((frame) => frame.includes('b loading: ;'))).toBe(true)
})
