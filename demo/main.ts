import { openSessionStore } from '../src/index.ts'
import { databaseName } from './api/chat-settings.ts'
import { startApp } from './app.ts'
import { h } from './ui/dom.ts'
import { messageOf } from './ui/toasts.ts'

try {
  startApp(await openSessionStore({ name: databaseName }))
} catch (error) {
  document.body.replaceChildren(
    h('main', { class: 'fatal', role: 'alert' }, h('h1', {}, 'The conversations can’t be opened'), h('p', {}, messageOf(error)), h('button', { class: 'button primary', onclick: () => location.reload() }, 'Try again')),
  )
}
