/** How long a peer may get no further with what it lacks, in milliseconds. It asks for nothing that it has refused. */
const patienceMs = 30_000

/** Waits for a peer that lacks something, as long as it gets further. */
export interface PeerPatience {
  /** It has said what it has. @param isFurther - that is more than it had before */
  heard(lacks: boolean, isFurther: boolean): void
  close(): void
}

export function createPeerPatience(onOver: () => void): PeerPatience {
  let timer: ReturnType<typeof setTimeout> | undefined
  const stop = (): void => {
    clearTimeout(timer)
    timer = undefined
  }
  return {
    heard: (lacks, isFurther) => {
      if (!lacks || isFurther) stop()
      if (lacks) timer ??= setTimeout(onOver, patienceMs)
    },
    close: stop,
  }
}
