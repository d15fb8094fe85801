import { SessionError } from '../../contract/errors.ts'
import type { Message } from '../../contract/message.ts'

interface SchemaIssue {
  readonly message: string
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined
}

type SchemaResult = { readonly issues?: readonly SchemaIssue[] | undefined }

/** A Standard Schema (https://standardschema.dev) for messages, as zod, valibot, arktype and others provide. */
export interface MessageSchema<M extends object = Message> {
  readonly '~standard': {
    readonly version: 1
    readonly vendor: string
    readonly validate: (value: unknown) => SchemaResult | Promise<SchemaResult>
    readonly types?: { readonly input: unknown; readonly output: M } | undefined
  }
}

/**
 * Checks a message by a schema. The schema's own output is not used: what is stored is the message as it was given.
 *
 * @throws InvalidInput, naming the path and the reason of the first issue
 */
export async function checkBySchema(schema: MessageSchema<object>, message: unknown): Promise<void> {
  const { issues } = await schema['~standard'].validate(message)
  const first = issues?.[0]
  if (first === undefined) return
  const path = (first.path ?? []).map((part) => String(typeof part === 'object' ? part.key : part)).join('.')
  const more = issues!.length === 1 ? '' : ` (and ${issues!.length - 1} more)`
  throw new SessionError(
    'InvalidInput',
    `The message does not match the schema${path === '' ? '' : ` at "${path}"`}: ${first.message}${more}. Nothing was written.`,
  )
}
