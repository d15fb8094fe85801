/** How long messages are that the server has refused: sent once more with each connection, one would end that of all sessions each time. */
export interface RefusedSizes {
  /** The server takes no message of so many bytes. */
  refuse(bytes: number): void
  isRefused(bytes: number): boolean
}

export function createRefusedSizes(): RefusedSizes {
  let shortest = Infinity
  return {
    refuse: (bytes) => {
      if (bytes > 0) shortest = Math.min(shortest, bytes)
    },
    isRefused: (bytes) => bytes >= shortest,
  }
}
