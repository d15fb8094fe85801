import { startApp } from './app.ts'
import { shiftClock } from './clock/shift-clock.ts'
import { hoursAhead } from './clock/wrong-clock.ts'
import { rememberWorkers } from './inspector/kill-worker.ts'
import { openDeviceStore } from './storage/open-device-store.ts'
import { h } from './ui/dom.ts'
import { messageOf } from './ui/toasts.ts'

if (hoursAhead !== 0) shiftClock(hoursAhead)

rememberWorkers()

try {
  startApp(await openDeviceStore())
} catch (error) {
  document.body.replaceChildren(
    h(
      'main',
      { class: 'fatal', role: 'alert' },
      h('h1', {}, 'The conversations can’t be opened'),
      h('p', {}, messageOf(error)),
      h('button', { class: 'button primary', onclick: () => location.reload() }, 'Try again'),
    ),
  )
}
