import { type ChildProcess, spawn } from 'node:child_process'
import { pathOf } from '../needs.ts'

let server: { readonly child: ChildProcess; readonly name: Promise<string> } | undefined

/**
 * The display that windows open on: a virtual one of this process, started with the first, and gone with the process.
 */
export function useDisplay(): Promise<string> {
  server ??= startDisplay()
  return server.name
}

function startDisplay(): { readonly child: ChildProcess; readonly name: Promise<string> } {
  // It chooses a number that is free, and writes it to its third file.
  const child = spawn(pathOf('Xvfb'), ['-displayfd', '3', '-screen', '0', '1280x800x24', '-nolisten', 'tcp'], {
    stdio: ['ignore', 'ignore', 'ignore', 'pipe'],
  })
  const name = new Promise<string>((resolve, reject) => {
    child.stdio[3]!.once('data', (number: Buffer) => resolve(`:${number.toString().trim()}`))
    child.once('exit', () => reject(new Error('Xvfb ended before it had a display.')))
  })
  process.once('exit', () => child.kill())
  // It must not keep the process, which ends it.
  child.unref()
  ;(child.stdio[3] as unknown as { unref(): void }).unref()
  return { child, name }
}
