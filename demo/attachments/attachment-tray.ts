import { h } from '../ui/dom.ts'
import { iconButton } from '../ui/icon-button.ts'
import { isImage } from './attached-file.ts'
import { fileWords } from './file-words.ts'

export interface AttachmentTray {
  readonly element: HTMLElement
  /** Changes to another session, and to the files that wait there. */
  show(key: string): void
  files(): readonly File[]
  add(files: Iterable<File>): void
  /** Takes the files out, to send them. */
  take(): readonly File[]
  /** Puts files back that could not be sent. */
  giveBack(key: string, files: readonly File[]): void
}

/** The files that go with the next message, each with a button that takes it out again. */
export function createAttachmentTray(onChange: () => void): AttachmentTray {
  const element = h('ul', { class: 'attachment-tray', 'aria-label': 'Attached files', hidden: true })
  const waiting = new Map<string, readonly File[]>()
  const views = new Map<File, HTMLElement>()
  let key = ''

  const files = (): readonly File[] => waiting.get(key) ?? []

  function set(of: string, next: readonly File[]): void {
    if (next.length === 0) waiting.delete(of)
    else waiting.set(of, next)
    if (of === key) render()
  }

  function render(): void {
    const shown = files()
    for (const file of views.keys()) if (!shown.includes(file)) views.delete(file)
    element.replaceChildren(
      ...shown.map((file) => {
        const view = views.get(file) ?? waitingFile(file, () => remove(file))
        views.set(file, view)
        return view
      }),
    )
    element.hidden = shown.length === 0
    onChange()
  }

  function remove(file: File): void {
    const at = files().indexOf(file)
    set(key, files().toSpliced(at, 1))
    const next = element.children[Math.min(at, element.children.length - 1)]
    next?.querySelector('button')?.focus()
  }

  return {
    element,
    files,
    show(next) {
      key = next
      render()
    },
    add: (more) => set(key, [...files(), ...more]),
    take() {
      const taken = files()
      set(key, [])
      return taken
    },
    giveBack: (of, back) => set(of, [...back, ...(waiting.get(of) ?? [])]),
  }
}

function waitingFile(file: File, onRemove: () => void): HTMLElement {
  const remove = iconButton('close', `Remove ${file.name}`, {
    class: 'icon-button file-remove',
    'data-testid': 'attachment-remove',
    onclick: onRemove,
  })
  const item = h(
    'li',
    { class: 'file-chip', 'data-testid': 'attachment-waiting' },
    ...fileWords(file.name, file.size),
    remove,
  )
  if (isImage(file.type)) void showThumbnail(file, item)
  return item
}

async function showThumbnail(file: File, item: HTMLElement): Promise<void> {
  const url = URL.createObjectURL(file)
  const image = h('img', { class: 'file-thumbnail', alt: '' })
  image.src = url
  await image.decode().then(
    () => item.querySelector('.icon')?.replaceWith(image),
    () => undefined,
  )
  URL.revokeObjectURL(url)
}
