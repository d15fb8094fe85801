import { h } from './dom.ts'

let region: HTMLElement | undefined

/** Has a screen reader say what the page shows by a sign only. */
export function speak(text: string): void {
  region ??= h('p', { class: 'visually-hidden', role: 'status' })
  // What lies outside of an open dialog is not spoken.
  const place = [...document.querySelectorAll('dialog[open]')].at(-1) ?? document.body
  if (region.parentElement !== place) place.append(region)
  region.textContent = ''
  // The same words again are said again, and a region that is new is known by then.
  requestAnimationFrame(() => region && (region.textContent = text))
}
