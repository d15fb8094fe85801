import type { Breather } from '../pacing/breather.ts'
import type { ByteSource } from './byte-source.ts'
import { createSizeGuard } from './create-size-guard.ts'
import { type JsonlLine, readLines } from './jsonl-lines.ts'

export interface TakeLinesOptions {
  readonly breathe: Breather
  readonly signal: AbortSignal | undefined
  /** Called after each piece of the log. */
  readonly onPiece: () => void
}

/**
 * Passes every line of a log to a reader, and lets other work run in between. @throws Aborted; TooLarge for a log that
 * does not fit into memory
 */
export async function takeLines(
  bytes: ByteSource,
  take: (line: JsonlLine) => void,
  { breathe, signal, onPiece }: TakeLinesOptions,
): Promise<void> {
  const hold = createSizeGuard()
  for await (const { lines } of readLines(bytes, signal)) {
    for (const line of lines) {
      hold(line.bytes)
      take(line)
      const pause = breathe()
      if (pause !== undefined) await pause
    }
    onPiece()
  }
}
