import type { Leftovers } from './watch-globals.ts'

type Start = (callback: (...given: unknown[]) => unknown, delay?: number, ...given: unknown[]) => unknown

/** Watches over the timers of a realm: those that are still to ring. */
export function watchTimers(): Leftovers {
  const running = new Map<unknown, Started>()
  watchStart('setTimeout', running, true)
  watchStart('setInterval', running, false)
  watchEnd('clearTimeout', running)
  watchEnd('clearInterval', running)
  return () => [...running].filter(([timer]) => !isOver(timer)).map(([, started]) => nameOf(started))
}

/** A timer as it was asked for. Naming it takes long, and hardly one of them is left in the end. */
interface Started {
  readonly name: string
  readonly delay: number | undefined
  readonly callback: unknown
}

const nameOf = ({ name, delay, callback }: Started): string =>
  `a ${name} of ${delay ?? 0} ms: ${String(callback).replaceAll(/\s+/g, ' ').slice(0, 100)}`

function watchStart(name: 'setTimeout' | 'setInterval', running: Map<unknown, Started>, once: boolean): void {
  replace(name, (start: Start, [callback, delay, ...given]: Parameters<Start>) => {
    const timer = start(
      (...received) => {
        if (once) running.delete(timer)
        return callback(...received)
      },
      delay,
      ...given,
    )
    running.set(timer, { name, delay, callback })
    return timer
  })
}

function watchEnd(name: 'clearTimeout' | 'clearInterval', running: Map<unknown, Started>): void {
  replace(name, (end: (timer: unknown) => void, [timer]: [unknown]) => {
    running.delete(timer)
    end(timer)
  })
}

/** Puts a function of the same name and properties in place of a global one. */
function replace<Real extends (...given: never[]) => unknown>(
  name: string,
  act: (real: Real, given: Parameters<Real>) => unknown,
): void {
  const realm = globalThis as unknown as Record<string, Real>
  realm[name] = new Proxy(realm[name]!, {
    apply: (real, self, given) =>
      act(((...changed: never[]) => Reflect.apply(real, self, changed)) as Real, given as Parameters<Real>),
  })
}

/**
 * Node's timers can be ended by themselves, too, or let go of by `unref`: tabs and workers that a test kills take
 * theirs along in a browser only.
 */
function isOver(timer: unknown): boolean {
  if (typeof timer !== 'object') return false
  const { _destroyed, hasRef } = timer as { _destroyed?: boolean; hasRef?: () => boolean }
  return _destroyed === true || hasRef?.call(timer) === false
}
