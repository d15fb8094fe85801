import { type ChildProcess, spawn } from 'node:child_process'

export interface ProcessGroup {
  readonly child: ChildProcess
  readonly pid: number
  /** Rejects nothing: resolves when the first process of the group has ended, however it did. */
  readonly ended: Promise<void>
  /** Ends all of it at once, as the system does with what it has no memory for. */
  kill(): Promise<void>
  /** Asks it to end, and kills what has not after some seconds. */
  stop(): Promise<void>
}

/** How long a browser may take to put its things away, in milliseconds. */
const stopMs = 15_000

/**
 * Starts a program as the head of a process group of its own, so that nothing of it outlives a kill.
 *
 * @param pipes - its files from 3 on
 */
export function startGroup(
  command: string,
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
  pipes: readonly 'pipe'[] = [],
): ProcessGroup {
  const child: ChildProcess = spawn(command, args, {
    detached: true,
    stdio: ['ignore', 'ignore', 'ignore', ...pipes],
    env: { ...process.env, ...env },
  })
  const ended = new Promise<void>((resolve) => {
    child.once('exit', () => resolve())
    child.once('error', () => resolve())
  })
  const signal = (target: number, name: NodeJS.Signals): void => {
    try {
      process.kill(target, name)
    } catch {
      // Nobody is left.
    }
  }
  const kill = async (): Promise<void> => {
    if (child.pid === undefined) return
    signal(-child.pid, 'SIGKILL')
    await ended
  }
  return {
    child,
    get pid() {
      if (child.pid === undefined) throw new Error(`${command} did not start.`)
      return child.pid
    },
    ended,
    kill,
    async stop() {
      if (child.pid === undefined) return
      signal(child.pid, 'SIGTERM')
      let timer: ReturnType<typeof setTimeout> | undefined
      await Promise.race([ended, new Promise<void>((resolve) => (timer = setTimeout(resolve, stopMs)))])
      clearTimeout(timer)
      await kill()
    },
  }
}
