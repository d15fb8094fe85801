import * as z from 'zod/mini'

/** Who and what shares a conversation (PicoClaw's `SessionScope`, version 1). Values are already normalised. */
export const scopeSchema = z.looseObject({
  version: z.literal(1),
  agent_id: z.string(),
  channel: z.string(),
  account: z.string(),
  dimensions: z.optional(z.array(z.string())),
  values: z.optional(z.record(z.string(), z.string())),
})

/** PicoClaw's `SessionScope` v1, with its own field names: it travels in files and between servers. */
export interface SessionScope {
  readonly version: 1
  readonly agent_id: string
  readonly channel: string
  readonly account: string
  readonly dimensions?: readonly string[]
  readonly values?: Readonly<Record<string, string>>
}
