/** How often a file is opened anew. */
const maxTries = 4

/** Reads a file of the mirror. One that its worker writes to meanwhile can become unreadable, and must be opened again. */
export async function retryReading<T>(read: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries++) {
    try {
      return await read()
    } catch (error) {
      if (tries === maxTries) throw error
    }
  }
}
