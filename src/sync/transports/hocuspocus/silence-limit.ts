/** Breaks something off that is silent for too long, however long the whole of it takes. */
export interface SilenceLimit {
  /** Fires when nothing was heard for so long. */
  readonly signal: AbortSignal
  /** Something was heard. */
  heard(): void
  /** It is over: nothing fires any more. */
  over(): void
}

export function createSilenceLimit(ms: number): SilenceLimit {
  const breaking = new AbortController()
  let timer: ReturnType<typeof setTimeout> | undefined
  const heard = (): void => {
    clearTimeout(timer)
    timer = setTimeout(() => breaking.abort(new DOMException(`Nothing was heard for ${ms / 1000} s.`, 'TimeoutError')), ms)
  }
  heard()
  return { signal: breaking.signal, heard, over: () => clearTimeout(timer) }
}
