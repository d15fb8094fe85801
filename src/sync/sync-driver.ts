import type { SyncEffect } from './machine/machine-command.ts'
import type { SyncEvent } from './machine/machine-event.ts'
import type { SyncMachineState } from './machine/machine-state.ts'
import { step } from './machine/step.ts'

/** Does what a command says. */
export type RunCommand = (command: Exclude<SyncEffect, { readonly type: 'tell' }>) => unknown

type Listener = (what: 'sync' | 'presence') => void

/** The state of sync, moved by one event after the other. */
export interface SyncDriver {
  state(): SyncMachineState
  /**
   * Something has happened. What follows from it is begun before this returns, unless another event is being dealt with:
   * then just after that.
   *
   * @returns resolves when what follows is done; never rejects
   */
  send(event: SyncEvent): Promise<void>
  /** Commands are run by this from now on; events that came before are dealt with. */
  attach(run: RunCommand): void
  /** Calls back when the state may have changed. Returns how to stop. */
  subscribe(listener: Listener): () => void
}

interface Letter {
  readonly event: SyncEvent
  /** A command that follows from it has failed. */
  readonly onFailed: (error: Error) => Promise<void>
  readonly resolve: (done: unknown) => void
}

export function createSyncDriver(initial: SyncMachineState): SyncDriver {
  const listeners = new Set<Listener>()
  const letters: Letter[] = []
  /** What the listeners have to be told. */
  const news = new Set<'sync' | 'presence'>()
  let state = initial
  let run: RunCommand | undefined
  let isBusy = false

  const deal = ({ event, onFailed }: Letter, runCommand: RunCommand): Promise<unknown> => {
    const next = step(state, event)
    state = next.state
    const done = next.commands.map(async (command) =>
      command.type === 'tell' ? void news.add(command.what) : runCommand(command),
    )
    return Promise.all(done.map((one) => one.catch(onFailed)))
  }
  const dealWithAll = (): void => {
    if (isBusy || run === undefined) return
    isBusy = true
    for (let next = letters.shift(); next !== undefined; next = letters.shift()) next.resolve(deal(next, run))
    isBusy = false
    // Not in between: whoever is told sees what became of all that happened.
    for (const what of news) {
      news.delete(what)
      for (const listener of listeners) callBack(listener, what)
    }
  }
  const send = async (event: SyncEvent): Promise<void> => {
    const onFailed = ({ message }: Error): Promise<void> => send({ type: 'failed', message })
    const done = new Promise((resolve) => letters.push({ event, resolve, onFailed }))
    dealWithAll()
    await done
  }

  return {
    state: () => state,
    send,
    attach: (runner) => {
      run = runner
      dealWithAll()
    },
    subscribe: (listener) => {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
  }
}

/** An error of a listener is its own: it is thrown where nothing of sync can stop at it. */
function callBack(listener: Listener, what: 'sync' | 'presence'): void {
  try {
    listener(what)
  } catch (error) {
    queueMicrotask(() => {
      throw error
    })
  }
}
