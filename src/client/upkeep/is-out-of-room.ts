/**
 * A place with no room for so much has none for a database either, which writes as it is opened. Not more: what is left
 * others need as well, the browser first of all.
 */
const probeBytes = 1 << 20
/** How long the browser may take: a call may be waiting. */
const patienceMs = 2000
const probeName = '.keepsession-room'

/**
 * Whether there is no room, on the disk or in what the browser gives this origin. Chromium does not say so when a
 * database can't be opened because of it, but a file that finds no room does.
 *
 * @param open - the folder in which it is tried
 * @returns false where it can't be tried
 */
export function isOutOfRoom(
  open: () => Promise<FileSystemDirectoryHandle> = () => navigator.storage.getDirectory(),
): Promise<boolean> {
  let timer: ReturnType<typeof setTimeout> | undefined
  const late = new Promise<boolean>((resolve) => (timer = setTimeout(() => resolve(false), patienceMs)))
  return Promise.race([tryToWrite(open), late]).finally(() => clearTimeout(timer))
}

async function tryToWrite(open: () => Promise<FileSystemDirectoryHandle>): Promise<boolean> {
  let isOpen = false
  try {
    const folder = await open()
    try {
      const writing = await (await folder.getFileHandle(probeName, { create: true })).createWritable()
      isOpen = true
      await writing.write(new Uint8Array(probeBytes))
      await writing.close()
    } finally {
      // Another tab may be trying the same.
      await folder.removeEntry(probeName).catch(() => undefined)
    }
    return false
  } catch (error) {
    // Of a file that is open Chromium gives other reasons too (a pipe that broke). Where there are no such files
    // (WebKitGTK, private windows) it is not known.
    return isOpen || (error as Partial<Error> | null)?.name === 'QuotaExceededError'
  }
}
