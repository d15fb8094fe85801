import { deleteSessionStore } from '../../src/index.ts'
import { deleteLeftovers, visit } from './visits.ts'

const place = document.querySelector<HTMLElement>('#playground')!
const open = document.createElement('button')
open.textContent = 'Open two tabs'
open.addEventListener('click', () => void visit('playground', showTabs))
place.replaceChildren(open)
// Those of the benchmark too. What can't be deleted now is tried by the next visit.
deleteLeftovers().catch(console.warn)

/** Shows two tabs of a store, for as long as the page is there. */
function showTabs(store: string): Promise<never> {
  const frames = document.createElement('div')
  frames.className = 'side-by-side'
  for (const title of ['First tab', 'Second tab']) {
    const frame = document.createElement('iframe')
    frame.title = title
    frame.src = `tab.html?store=${store}`
    frames.append(frame)
  }
  open.replaceWith(frames)
  // A browser may end the page before this is done: then the next visit does it.
  addEventListener('pagehide', () => {
    frames.replaceChildren()
    void deleteSessionStore(store)
  })
  return new Promise(() => undefined)
}
