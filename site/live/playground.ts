import { deleteSessionStore } from '../../src/index.ts'

const place = document.querySelector<HTMLElement>('#playground')!
/** Of this visit only. */
const store = `keepsession-playground-${crypto.randomUUID().slice(0, 8)}`

const frames = document.createElement('div')
frames.className = 'side-by-side'
for (const title of ['First tab', 'Second tab']) {
  const frame = document.createElement('iframe')
  frame.title = title
  frame.src = `tab.html?store=${store}`
  frames.append(frame)
}
const open = document.createElement('button')
open.textContent = 'Open two tabs'
open.addEventListener('click', () => open.replaceWith(frames))
place.replaceChildren(open)

// What a visit left that was ended by a crash stays until the site's data is cleared.
addEventListener('pagehide', () => {
  frames.replaceChildren()
  void deleteSessionStore(store)
})
