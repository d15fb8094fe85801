import { h } from './dom.ts'
import { icon } from './icons.ts'
import { speak } from './speak.ts'

const shownMs = 1600

/**
 * A button that copies a text and says for a moment that it did.
 *
 * @param label - its name and its tooltip
 * @param words - what is written on it beside the icon, a part of `label`; by default only the icon is shown
 */
export function copyButton(text: () => string, label = 'Copy', words?: string): HTMLButtonElement {
  const button = h('button', {
    type: 'button',
    class: words === undefined ? 'icon-button' : 'copy-button',
    'data-testid': 'copy',
    onclick: () => void copy(),
  })
  let restore: ReturnType<typeof setTimeout> | undefined

  function show(sign: 'copy' | 'check' | 'alert', name: string, shownWords: string | undefined): void {
    button.replaceChildren(icon(sign), ...(words === undefined ? [] : [h('span', {}, shownWords)]))
    button.title = name
    button.setAttribute('aria-label', name)
  }

  async function copy(): Promise<void> {
    const copied = await writeClipboard(text())
    if (copied) show('check', 'Copied', 'Copied')
    else show('alert', 'Not copied: the browser does not allow access to the clipboard', 'Not copied')
    speak(button.title)
    clearTimeout(restore)
    restore = setTimeout(() => show('copy', label, words), shownMs)
  }

  show('copy', label, words)
  return button
}

async function writeClipboard(text: string): Promise<boolean> {
  try {
    // Absent on insecure origins.
    await navigator.clipboard.writeText(text)
    return true
  } catch {
    return false
  }
}
