import { randomUUID } from 'node:crypto'
import { BroadcastChannel as NodeChannel } from 'node:worker_threads'

// Files of tests run side by side in threads of one process, and Node's channels cross threads: stores of the same name
// in two files would hear each other. This runs anew for every file, and gives each one channels of its own.
const file = randomUUID()

globalThis.BroadcastChannel = class extends NodeChannel {
  constructor(name: string) {
    super(`${file}:${name}`)
  }
} as unknown as typeof BroadcastChannel
