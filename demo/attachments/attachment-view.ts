import { h } from '../ui/dom.ts'
import { saveFile } from '../ui/save-file.ts'
import { type AttachedFile, type BlobReader, isImage } from './attached-file.ts'
import { fileWords } from './file-words.ts'

/** A file of a message: a picture, or a chip with its name. A click saves it. */
export function attachmentView(file: AttachedFile, blobs: BlobReader): HTMLElement {
  const { hash, name, mimeType, size } = file
  const note = h('span', { class: 'file-note' })
  const button = h(
    'button',
    {
      type: 'button',
      class: 'file-chip',
      'data-testid': 'attachment',
      title: `Save ${name}`,
      onclick: () => void save(),
    },
    ...fileWords(name, size),
    note,
  )

  async function read(): Promise<Blob | undefined> {
    const blob = await blobs.get(hash).catch(() => undefined)
    note.textContent = blob === undefined ? 'Not on this device yet' : ''
    return blob
  }

  async function save(): Promise<void> {
    const blob = await read()
    if (blob !== undefined) saveFile(name, blob)
  }

  async function showImage(): Promise<void> {
    const blob = await read()
    if (blob === undefined) return
    // The store keeps bytes only.
    const url = URL.createObjectURL(new Blob([blob], { type: mimeType }))
    const image = h('img', { class: 'attached-image', alt: name })
    image.src = url
    // What can't be shown as a picture stays a chip.
    await image.decode().then(
      () => {
        button.replaceChildren(image)
        button.className = 'file-image'
        button.setAttribute('aria-label', `Save ${name}`)
      },
      () => undefined,
    )
    URL.revokeObjectURL(url)
  }

  if (isImage(mimeType)) void showImage()
  return button
}
