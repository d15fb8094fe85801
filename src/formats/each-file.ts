import { abortError } from './byte-source.ts'
import type { ForeignFile } from './foreign-files.ts'
import { isFileError } from './is-file-error.ts'
import type { SkippedLines } from './skipped-lines.ts'

/** Works through files one after the other. A file that can't be read is skipped and reported. @throws Aborted */
export async function eachFile(
  files: readonly ForeignFile[],
  skipped: SkippedLines,
  signal: AbortSignal | undefined,
  work: (file: ForeignFile) => Promise<void>,
): Promise<void> {
  for (const file of files) {
    try {
      await work(file)
    } catch (error) {
      if (!isFileError(error)) throw error
      skipped.addError(error, file.path)
    }
    if (signal?.aborted) throw abortError()
  }
}
