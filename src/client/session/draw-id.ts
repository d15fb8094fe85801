/** Draws a unique id of 64 random bits. `crypto.randomUUID` is missing on plain HTTP pages. */
export function drawId(): string {
  return [...crypto.getRandomValues(new Uint32Array(2))].map((part) => part.toString(36)).join('')
}
