export interface Shortcuts {
  /** Ctrl or ⌘ + Shift + O */
  readonly onNew: () => void
  /** Ctrl or ⌘ + K */
  readonly onSearch: () => void
  /** Ctrl or ⌘ + Shift + L */
  readonly onInspect: () => void
  /** Escape, where nothing else takes it */
  readonly onStop: () => void
}

/** The keys that work wherever the focus is. */
export function listenForShortcuts({ onNew, onSearch, onInspect, onStop }: Shortcuts): void {
  addEventListener('keydown', (event) => {
    if (event.defaultPrevented || document.querySelector('dialog[open]') !== null) return
    const key = event.key.toLowerCase()
    const command = event.ctrlKey || event.metaKey
    if (command && key === 'k') take(event, onSearch)
    else if (command && event.shiftKey && key === 'o') take(event, onNew)
    else if (command && event.shiftKey && key === 'l') take(event, onInspect)
    else if (key === 'escape') onStop()
  })
}

function take(event: KeyboardEvent, run: () => void): void {
  event.preventDefault()
  // A key that is held down is pressed once.
  if (!event.repeat) run()
}
