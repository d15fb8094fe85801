import { h } from '../ui/dom.ts'
import { bytes } from '../ui/format.ts'
import { icon } from '../ui/icons.ts'

/** The name and the size of a file, for a chip. */
export const fileWords = (name: string, size: number): readonly Node[] => [
  icon('file'),
  h('span', { class: 'file-name', dir: 'auto' }, name),
  ...(size > 0 ? [h('span', { class: 'file-size' }, bytes(size))] : []),
]
