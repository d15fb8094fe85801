import type { SourceFile } from '../../src/types.ts'

/** The files that were dropped, those in dropped folders with their paths. */
export async function droppedFiles(data: DataTransfer): Promise<readonly SourceFile[]> {
  // All at once: the browser forgets what was dropped when the event ends.
  const items = [...data.items]
    .filter(({ kind }) => kind === 'file')
    .map((item) => ({ entry: item.webkitGetAsEntry(), file: item.getAsFile() }))
  const found = await Promise.all(
    items.map(({ entry, file }) =>
      entry?.isDirectory === true ? filesIn(entry) : file === null ? [] : [{ path: file.name, blob: file }],
    ),
  )
  return found.flat()
}

async function filesIn(entry: FileSystemEntry): Promise<readonly SourceFile[]> {
  const path = entry.fullPath.slice(1)
  if (entry.isFile)
    return [
      {
        path,
        blob: await new Promise<File>((resolve, reject) => (entry as FileSystemFileEntry).file(resolve, reject)),
      },
    ]
  const reader = (entry as FileSystemDirectoryEntry).createReader()
  const found: SourceFile[] = []
  // It gives a hundred at a time.
  for (;;) {
    const entries = await new Promise<FileSystemEntry[]>((resolve, reject) => reader.readEntries(resolve, reject))
    if (entries.length === 0) return found
    for (const one of entries) found.push(...(await filesIn(one)))
  }
}
