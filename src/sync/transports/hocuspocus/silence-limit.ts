/** Aborts something that is silent for too long, however long it takes in total. */
export interface SilenceLimit {
  /** Aborts when nothing arrived for so long. */
  readonly signal: AbortSignal
  /** Something arrived. */
  received(): void
  /** It has ended: the signal stays as it is. */
  over(): void
}

export function createSilenceLimit(ms: number): SilenceLimit {
  const breaking = new AbortController()
  let timer: ReturnType<typeof setTimeout> | undefined
  const received = (): void => {
    clearTimeout(timer)
    timer = setTimeout(
      () => breaking.abort(new DOMException(`Nothing arrived for ${ms / 1000} s.`, 'TimeoutError')),
      ms,
    )
  }
  received()
  return { signal: breaking.signal, received: received, over: () => clearTimeout(timer) }
}
