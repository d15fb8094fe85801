/** Names one start of a worker. */
export function drawBoot(): string {
  return [...crypto.getRandomValues(new Uint32Array(2))].map((part) => part.toString(36)).join('')
}
