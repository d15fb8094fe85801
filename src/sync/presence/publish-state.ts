import type { Awareness } from 'y-protocols/awareness'
import { createPieceCutter } from './cut-pieces.ts'
import type { PresenceState } from './presence-state.ts'
import { throttleTask } from './throttle-task.ts'
import type { VisitOptions } from './visit-options.ts'

/** Five states a second. */
const paceMs = 200
/** How often typing is announced again to the others. */
const typingAgainMs = 3000

export interface PublishStateOptions extends Omit<VisitOptions, 'onPeers' | 'onLeave'> {
  readonly awareness: Awareness
  /** Without others, it is enough to publish that this device is here. */
  readonly isAlone: () => boolean
}

/** Publishes what this device does in a session. */
export interface StatePublisher {
  /** Publishes it now, at once or as soon as the pace allows. */
  ask(): void
  /** Somebody has come who has seen nothing of it. */
  restart(): void
  stop(): void
}

export function createStatePublisher(options: PublishStateOptions): StatePublisher {
  const { awareness, id, codec, now, onError } = options
  const cutter = createPieceCutter()
  let published: string | undefined
  let publishedAt = 0
  let isStopped = false

  const publish = async (): Promise<void> => {
    const state = stateNow(options, cutter.cut)
    if (state === undefined) {
      // Not `null`, because Hocuspocus does not pass that on.
      if (published !== undefined) awareness.setLocalState({})
      published = undefined
      return
    }
    const text = JSON.stringify(state)
    if (text === published && !(state.typing === true && now() - publishedAt >= typingAgainMs)) return
    try {
      const content = await codec.write(state, id)
      if (isStopped) return
      published = text
      publishedAt = now()
      awareness.setLocalState({ content })
    } catch (error) {
      cutter.restart()
      onError(error)
    }
  }
  const pace = throttleTask(paceMs, now, publish)
  // The awareness also renews its state by itself.
  awareness.on('update', (_: unknown, origin: unknown) => {
    if (origin === 'local') pace.done()
  })
  return {
    ask: pace.ask,
    restart: () => {
      cutter.restart()
      pace.ask()
    },
    stop: () => {
      isStopped = true
      pace.stop()
    },
  }
}

function stateNow(
  { device, user, activity, isAlone }: PublishStateOptions,
  cut: ReturnType<typeof createPieceCutter>['cut'],
): PresenceState | undefined {
  const current = activity()
  if (current === undefined) return undefined
  if (isAlone()) return { device, user }
  const { isTyping, draft } = current
  return { device, user, ...(isTyping ? { typing: true } : {}), ...(draft === undefined ? {} : { draft: cut(draft) }) }
}
