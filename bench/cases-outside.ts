import { runCold } from './cold/run-cold.ts'
import { runDisk } from './disk/run-disk.ts'
import { runHeap } from './heap/run-heap.ts'
import type { CaseName, CaseResult, Effort, PageCase } from './sample.ts'

type RunOutside = (effort: Effort, say: (text: string) => void) => Promise<CaseResult>

/** The cases that start browsers of their own. */
export const casesOutside: Readonly<Record<Exclude<CaseName, PageCase>, RunOutside>> = {
  cold: runCold,
  disk: runDisk,
  heap: runHeap,
}
