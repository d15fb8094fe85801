import { h } from '../ui/dom.ts'
import { icon } from '../ui/icons.ts'

/** Takes files dropped anywhere on the window; says so while they are held over it. */
export function dropZone(onFiles: (files: readonly File[]) => void): HTMLElement {
  const element = h('div', { class: 'drop-zone', hidden: true }, h('p', {}, icon('import'), 'Drop to import'))
  // The events of every element passed over come in pairs, the new one's before the old one's.
  let depth = 0

  const carriesFiles = (event: DragEvent): boolean => event.dataTransfer?.types.includes('Files') ?? false
  const setDepth = (now: number) => {
    depth = now
    element.hidden = depth <= 0
  }

  addEventListener('dragenter', (event) => {
    if (carriesFiles(event)) setDepth(depth + 1)
  })
  addEventListener('dragleave', (event) => {
    if (carriesFiles(event)) setDepth(depth - 1)
  })
  addEventListener('dragover', (event) => {
    if (carriesFiles(event)) event.preventDefault()
  })
  addEventListener('drop', (event) => {
    if (!carriesFiles(event)) return
    event.preventDefault()
    setDepth(0)
    onFiles([...(event.dataTransfer?.files ?? [])])
  })
  return element
}
