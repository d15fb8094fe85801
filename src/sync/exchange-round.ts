/** The exchange that is under way, which a new one replaces. */
export interface ExchangeRound {
  /** Starts one, and settles the one before. Resolves when it is settled. */
  begin(): Promise<void>
  /** Settles the current one. */
  settle(): void
  /** How to settle the current one, whatever replaces it; compared to see whether it still is the current one. */
  current(): () => void
}

export function createExchangeRound(): ExchangeRound {
  let settle: () => void = () => undefined
  return {
    begin: () =>
      new Promise((resolve) => {
        settle()
        settle = resolve
      }),
    settle: () => settle(),
    current: () => settle,
  }
}
