import type { TabWorld } from '../ground.ts'

export interface Reading {
  readonly name: string
  readonly sessions: readonly string[]
  /**
   * Texts that have to be there: while some are missing, it waits for the mirror, which a database is held against some
   * seconds after the start.
   */
  readonly wanted: Readonly<Record<string, readonly string[]>>
  readonly waitMs: number
  /** Default true. */
  readonly isMirrored?: boolean
}

export interface ReadBack {
  readonly texts: Readonly<Record<string, readonly string[]>>
  /** Which of them end an interrupted reply. */
  readonly interrupted: readonly string[]
  readonly problems: readonly string[]
  /** Names of the notices since the opening. */
  readonly notices: readonly string[]
  readonly mode: string
  readonly skipped: readonly string[]
  /** Names and messages of the errors that reading ended with. */
  readonly errors: readonly string[]
}

/** In a page: opens the store and reads everything back, as an app would after a fault. */
export async function readBack(
  { sdk }: TabWorld,
  { name, sessions, wanted, waitMs, isMirrored = true }: Reading,
): Promise<ReadBack> {
  const notices: string[] = []
  const errors: string[] = []
  const told = (error: unknown): void => void errors.push(`${(error as Error).name}: ${(error as Error).message}`)
  const client = await sdk.openSessionStore({
    name,
    mirror: isMirrored,
    timeoutMs: 30_000,
    onChange: (change) => void (change.type === 'notice' && notices.push(change.name)),
  })
  const health = await client.upkeep.health()
  const texts: Record<string, string[]> = {}
  const interrupted: string[] = []
  const until = Date.now() + waitMs
  for (;;) {
    errors.length = interrupted.length = 0
    for (const key of sessions) {
      // Replies that nobody streams any more become entries when somebody looks for them.
      await client.store.listDrafts(key).catch(told)
      const messages = await (await client.session(key)).messages().catch((error) => (told(error), []))
      texts[key] = messages.map(({ content }) => String(content))
      interrupted.push(
        ...messages.filter((message) => message['interrupted'] === true).map(({ content }) => String(content)),
      )
    }
    const isWhole = Object.entries(wanted).every(([key, list]) => {
      const found = new Set(texts[key])
      return list.every((text) => found.has(text))
    })
    if (isWhole || Date.now() > until) break
    await new Promise((resolve) => setTimeout(resolve, 500))
  }
  const problems = await client.store.verify().then(
    (report) => report.problems.map(({ key, kind, at, message }) => `${kind} in ${key} at ${at}: ${message}`),
    (error) => (told(error), []),
  )
  // Notices of the opening come in a task of their own.
  await new Promise((resolve) => setTimeout(resolve, 50))
  await client.close()
  return {
    texts,
    interrupted,
    problems,
    notices,
    mode: health.mode,
    skipped: health.skipped.map(({ mode, reason }) => `${mode}: ${reason}`),
    errors,
  }
}
