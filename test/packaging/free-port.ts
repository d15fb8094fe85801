import { createServer } from 'node:net'

/** A port that is free now. */
export async function freePort(): Promise<number> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, resolve))
  const { port } = server.address() as { readonly port: number }
  await new Promise((resolve) => server.close(resolve))
  return port
}

/** @throws while nobody answers there */
export async function isAnswered(url: string): Promise<void> {
  const response = await fetch(url)
  await response.body?.cancel()
  if (!response.ok) throw new Error(`${url} answered ${response.status}.`)
}
