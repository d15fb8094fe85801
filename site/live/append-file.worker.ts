/** Appends text to a file of the origin's private file system, and flushes it. */
interface Request {
  readonly open?: string
  readonly text?: string
  readonly remove?: string
}

let file: FileSystemSyncAccessHandle | undefined

self.onmessage = async ({ data }: MessageEvent<Request>) => {
  try {
    const root = await navigator.storage.getDirectory()
    if (data.open !== undefined)
      file = await (await root.getFileHandle(data.open, { create: true })).createSyncAccessHandle()
    if (data.text !== undefined) {
      file!.write(new TextEncoder().encode(data.text), { at: file!.getSize() })
      file!.flush()
    }
    if (data.remove !== undefined) {
      file?.close()
      await root.removeEntry(data.remove)
    }
    self.postMessage('')
  } catch (error) {
    self.postMessage(String(error))
  }
}
