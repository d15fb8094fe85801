/** Lines of text in files of the origin private file system, which only a worker may write without waiting. */

interface Call {
  readonly id: number
  readonly session: string
  readonly act: 'append' | 'last' | 'all'
  readonly text: string
  readonly isStrict: boolean
  readonly count: number
}

const newline = 10
const firstLook = 64 * 1024
const encoder = new TextEncoder()
const files = new Map<string, Promise<FileSystemSyncAccessHandle>>()

function open(session: string): Promise<FileSystemSyncAccessHandle> {
  let file = files.get(session)
  if (file === undefined) {
    file = (async () => {
      const root = await navigator.storage.getDirectory()
      const handle = await root.getFileHandle(`bench-${session}.jsonl`, { create: true })
      return handle.createSyncAccessHandle()
    })()
    files.set(session, file)
  }
  return file
}

function bytesFrom(file: FileSystemSyncAccessHandle, at: number): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(file.getSize() - at)
  file.read(bytes, { at })
  return bytes
}

/** The last so many lines: looks further back until there are enough. */
function lastLines(file: FileSystemSyncAccessHandle, count: number): Uint8Array<ArrayBuffer> {
  const size = file.getSize()
  for (let look = firstLook; ; look *= 4) {
    const bytes = bytesFrom(file, Math.max(0, size - look))
    let lines = 0
    for (let i = bytes.length - 2; i >= 0; i--) {
      if (bytes[i] === newline && ++lines === count) return bytes.slice(i + 1)
    }
    if (look >= size) return bytes
  }
}

addEventListener('message', async ({ data }: MessageEvent<Call>) => {
  const { id, session, act, text, isStrict, count } = data
  const file = await open(session)
  if (act === 'append') {
    file.write(encoder.encode(text), { at: file.getSize() })
    if (isStrict) file.flush()
    postMessage({ id })
    return
  }
  const bytes = act === 'all' ? bytesFrom(file, 0) : lastLines(file, count)
  postMessage({ id, bytes }, { transfer: [bytes.buffer] })
})
