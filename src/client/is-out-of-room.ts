/** A place with no room for so much has none for a database either: it writes as it is opened. */
const probeBytes = 4 << 20
/** How long the browser may take: a call may be waiting. */
const patienceMs = 2000
const probeName = '.keepsession-room'

/**
 * Whether there is no room, on the disk or in what the browser gives this origin. Chromium does not say so when a database can't be opened because
 * of it, but a file that finds no room does.
 *
 * @param open - the folder in which it is tried
 * @returns false where it can't be tried
 */
export function isOutOfRoom(open: () => Promise<FileSystemDirectoryHandle> = () => navigator.storage.getDirectory()): Promise<boolean> {
  let timer: ReturnType<typeof setTimeout> | undefined
  const late = new Promise<boolean>((resolve) => (timer = setTimeout(() => resolve(false), patienceMs)))
  return Promise.race([tryToWrite(open), late]).finally(() => clearTimeout(timer))
}

async function tryToWrite(open: () => Promise<FileSystemDirectoryHandle>): Promise<boolean> {
  try {
    const folder = await open()
    try {
      const writing = await (await folder.getFileHandle(probeName, { create: true })).createWritable()
      await writing.write(new Uint8Array(probeBytes))
      await writing.close()
    } finally {
      // Another tab may be trying the same.
      await folder.removeEntry(probeName).catch(() => undefined)
    }
    return false
  } catch (error) {
    // Whatever else there is no such file for (WebKitGTK has none, private windows neither) tells nothing about room.
    return (error as Partial<Error> | null)?.name === 'QuotaExceededError'
  }
}
