/**
 * Size of the file for the test. A disk without this much room has none for a database either, which writes when it is
 * opened. It is not larger, because others need the remaining space too, above all the browser.
 */
const probeBytes = 1 << 20
/** How long the browser may take, because a call may be waiting. */
const patienceMs = 2000
const probeName = '.keepsession-room'

/**
 * Whether the disk, or the browser's quota for this origin, is full. When a database can't be opened for this reason,
 * Chromium does not say so, but writing a file reports it.
 *
 * @param open - opens the folder for the test file
 * @returns false if it can't be tested
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
      // Another tab may be running the same test.
      await folder.removeEntry(probeName).catch(() => undefined)
    }
    return false
  } catch (error) {
    // For an open file, Chromium reports other reasons as well (a broken pipe). Without such files (WebKitGTK, private
    // windows) the answer is unknown.
    return isOpen || (error as Partial<Error> | null)?.name === 'QuotaExceededError'
  }
}
