import { type ChildProcess, type SpawnOptions, spawn } from 'node:child_process'
import { once } from 'node:events'

/** A process and whatever it starts. */
export interface ProcessGroup {
  readonly child: ChildProcess
  /** Resolves when the process has ended, whoever ended it, or could not be started. */
  readonly gone: Promise<void>
  /** Asks all of it to end, and ends it when it does not. Resolves once the process is gone. */
  end(): Promise<void>
}

/** How long a program may take to end by itself, in milliseconds. */
const graceMs = 3000

const running = new Set<ChildProcess>()

/**
 * Starts a process in a group of its own, which does not outlive this process: not when that fails, and not when it is
 * interrupted.
 */
export function startProcessGroup(command: string, args: readonly string[], options: SpawnOptions = {}): ProcessGroup {
  watchThisProcess()
  const child = spawn(command, args, { stdio: 'ignore', ...options, detached: true })
  running.add(child)
  const noMatter = (): void => undefined
  const gone = once(child, 'exit').then(noMatter, noMatter)
  return {
    child,
    gone,
    async end() {
      signal(child, 'SIGTERM')
      const timer = setTimeout(() => signal(child, 'SIGKILL'), graceMs)
      await gone
      clearTimeout(timer)
      // The processes that a browser starts may outlive it.
      signal(child, 'SIGKILL')
      running.delete(child)
      leaveThisProcess()
    },
  }
}

const endAll = (): void => running.forEach((child) => signal(child, 'SIGKILL'))
const exit = (): never => process.exit(129)

/** Ends what runs with this process. */
function watchThisProcess(): void {
  if (running.size > 0) return
  // Before their profiles are removed.
  process.prependOnceListener('exit', endAll)
  // Vitest turns the other signals into an exit; this one comes when the terminal is closed.
  process.once('SIGHUP', exit)
}

function leaveThisProcess(): void {
  if (running.size > 0) return
  process.off('exit', endAll)
  process.off('SIGHUP', exit)
}

function signal({ pid }: ChildProcess, name: NodeJS.Signals): void {
  if (pid === undefined) return
  try {
    process.kill(-pid, name)
  } catch {
    // Nobody is left in the group.
  }
}
