import { SessionError } from '../../contract/errors.ts'
import type { SourceFile } from '../../contract/job.ts'
import type { FilesSource } from '../client-contract.ts'

/** Names of files to import. Opening the others takes time, and some can't be read. */
const isWanted = (name: string): boolean => /\.(jsonl?|zip|gz)$/i.test(name)

/**
 * The files of a source with their paths. Their content is not read yet.
 *
 * @throws TypeError for anything else; InvalidInput when a directory can't be read; Aborted
 */
export async function filesOf(source: FilesSource, signal: AbortSignal | undefined): Promise<readonly SourceFile[]> {
  if (source instanceof Blob) return [{ path: '', blob: source }]
  if (isDirectory(source)) {
    const files: SourceFile[] = []
    await walk(source, '', files, signal)
    return files
  }
  const isList = typeof (source as Partial<Iterable<unknown>> | undefined)?.[Symbol.iterator] === 'function'
  if (isList && typeof (source as unknown) !== 'string') return [...source].map(sourceFile)
  throw new TypeError('An import takes a list of files, a directory handle or one file as a Blob.')
}

function isDirectory(source: FilesSource): source is FileSystemDirectoryHandle {
  return (source as Partial<FileSystemDirectoryHandle> | undefined)?.kind === 'directory'
}

function sourceFile(file: File | SourceFile): SourceFile {
  if (!(file instanceof Blob)) return { path: file.path, blob: file.blob }
  return { path: file.webkitRelativePath || file.name, blob: file }
}

async function walk(
  directory: FileSystemDirectoryHandle,
  above: string,
  files: SourceFile[],
  signal: AbortSignal | undefined,
): Promise<void> {
  try {
    for await (const [name, handle] of directory.entries()) {
      if (signal?.aborted) throw new SessionError('Aborted', 'The import was cancelled.')
      if (handle.kind === 'directory')
        await walk(handle as FileSystemDirectoryHandle, `${above}${name}/`, files, signal)
      else if (isWanted(name))
        files.push({ path: above + name, blob: await (handle as FileSystemFileHandle).getFile() })
    }
  } catch (error) {
    if (error instanceof SessionError) throw error
    throw new SessionError(
      'InvalidInput',
      `The directory ${above || directory.name} can't be read: ${(error as Error).message}. Choose it again and allow reading.`,
      { cause: error },
    )
  }
}
