import { h } from '../ui/dom.ts'
import { iconButton } from '../ui/icon-button.ts'

/** Asks for files to attach. */
export function attachButton(onFiles: (files: readonly File[]) => void): readonly HTMLElement[] {
  const input = h('input', {
    type: 'file',
    multiple: true,
    hidden: true,
    'data-testid': 'attach-input',
    'aria-label': 'Files to attach',
    onchange: () => {
      const files = [...(input.files ?? [])]
      // Otherwise choosing the same file again would be no change.
      input.value = ''
      onFiles(files)
    },
  })
  const button = iconButton('attach', 'Attach files', {
    class: 'icon-button attach-button',
    'data-testid': 'attach',
    onclick: () => input.click(),
  })
  return [button, input]
}

/** Takes files that are pasted or dropped on an element. Dropped elsewhere they are imported. */
export function takeFiles(element: HTMLElement, onFiles: (files: readonly File[]) => void): void {
  const take = (event: Event, data: DataTransfer | null): void => {
    const files = [...(data?.files ?? [])]
    if (files.length === 0) return
    event.preventDefault()
    onFiles(files)
  }
  element.addEventListener('paste', (event) => {
    // Text that office programs copy comes with a picture of itself.
    if (event.clipboardData?.types.includes('text/plain') !== true) take(event, event.clipboardData)
  })
  element.addEventListener('drop', (event) => take(event, event.dataTransfer))
}
