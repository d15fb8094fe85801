/**
 * The lengths of messages that the server has refused: sending one again with each connection would end the connection
 * of all sessions each time.
 */
export interface RefusedSizes {
  /** The server refuses messages of this length. */
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
