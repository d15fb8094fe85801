import { createElement as h } from 'react'
import { renderToString } from 'react-dom/server'
import { expect, it } from 'vitest'
import { SessionStoreProvider } from '../../../src/bindings/react/session-store-provider.ts'
import { Conversation, Found, Health, List } from './chat.ts'

it('renders every hook as loading on a server, which has no browser', () => {
  const all = [h(List), h(Conversation, { target: 'a' }), h(Found, { text: 'sky' }), h(Health)]
  const html = renderToString(h(SessionStoreProvider, { options: { name: 'never-opened' } }, ...all)) // bounded: four
  expect(html.replace(/<[^>]+>/g, ' ').trim()).toBe('loading:  of 0  a(loading):   loading:   loading: undefined')
})
