import type { SourceFile } from '../../src/types.ts'
import { h } from '../ui/dom.ts'
import { icon } from '../ui/icons.ts'
import { droppedFiles } from './dropped-files.ts'

/** Takes files and folders dropped anywhere on the window; says so while they are held over it. */
export function dropZone(onFiles: (files: readonly SourceFile[]) => void): HTMLElement {
  const element = h(
    'div',
    { class: 'drop-zone', hidden: true },
    h('p', {}, icon('import'), 'Drop conversations here to import them'),
    h(
      'small',
      {},
      'Exports from ChatGPT, Claude, Open WebUI and others, session logs, folders, zip files, and archives from this app',
    ),
    h('small', {}, 'To attach files to a message, drop them on the field below.'),
  )
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
    setDepth(0)
    // The composer took them.
    if (event.defaultPrevented) return
    event.preventDefault()
    if (event.dataTransfer !== null) void droppedFiles(event.dataTransfer).then(onFiles, () => onFiles([]))
  })
  return element
}
