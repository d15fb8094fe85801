import { iconButton } from './icon-button.ts'
import { icon } from './icons.ts'

const shownMs = 1600

/** A button that copies a text and says for a moment that it did. */
export function copyButton(text: () => string, label = 'Copy'): HTMLButtonElement {
  const button = iconButton('copy', label, { onclick: () => void copy() })
  let restore: ReturnType<typeof setTimeout> | undefined

  async function copy(): Promise<void> {
    const copied = await writeClipboard(text())
    button.replaceChildren(icon(copied ? 'check' : 'alert'))
    button.title = copied ? 'Copied' : 'The browser does not allow access to the clipboard'
    clearTimeout(restore)
    restore = setTimeout(() => {
      button.replaceChildren(icon('copy'))
      button.title = label
    }, shownMs)
  }

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
