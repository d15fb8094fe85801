import { readdirSync, readFileSync } from 'node:fs'
import type { Call } from './measured.ts'

export interface MemoryWatch {
  /**
   * Megabytes that pages and workers held more, at most, than when the call began; `undefined` where the system does
   * not tell.
   */
  heldDuring(calls: readonly Pick<Call, 'from' | 'to'>[]): number | undefined
  stop(): void
}

/** Looks ten times a second at what the processes of all pages and workers hold (Linux only). */
export function watchMemory(): MemoryWatch {
  const looks: { readonly at: number; readonly bytes: number }[] = []
  const timer = setInterval(() => {
    const bytes = heldByPages()
    if (bytes !== undefined) looks.push({ at: Date.now(), bytes })
  }, 100)
  return {
    heldDuring: (calls) => {
      const held = calls.flatMap(({ from, to }) => {
        const during = looks.filter(({ at }) => at >= from && at <= to)
        const before = looks.findLast(({ at }) => at < from)
        return before === undefined || during.length === 0
          ? []
          : [Math.max(...during.map(({ bytes }) => bytes)) - before.bytes]
      })
      return held.length === 0 ? undefined : Math.max(0, ...held) / 1e6
    },
    stop: () => clearInterval(timer),
  }
}

/** What the descendants of this process hold that are pages with their workers. */
function heldByPages(): number | undefined {
  try {
    const parents = new Map<number, number>()
    for (const name of readdirSync('/proc')) if (/^\d+$/.test(name)) parents.set(Number(name), parentOf(Number(name)))
    const isOurs = (pid: number): boolean => {
      for (let at = pid; at > 1; at = parents.get(at) ?? 0) if (at === process.pid) return true
      return false
    }
    return [...parents.keys()]
      .filter((pid) => isOurs(pid) && textOf(pid, 'cmdline').includes('--type=renderer'))
      .reduce((sum, pid) => sum + residentOf(pid), 0)
  } catch {
    return undefined
  }
}

const textOf = (pid: number, file: string): string => {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'utf8')
  } catch {
    // It has ended meanwhile.
    return ''
  }
}

const parentOf = (pid: number): number => Number(/^PPid:\s*(\d+)/m.exec(textOf(pid, 'status'))?.[1] ?? 0)
const residentOf = (pid: number): number => Number(/^VmRSS:\s*(\d+)/m.exec(textOf(pid, 'status'))?.[1] ?? 0) * 1024
