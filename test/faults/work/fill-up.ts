import type { TabWorld } from '../ground.ts'
import type { Acknowledged } from './append-forever.ts'

export interface FilledUp {
  readonly acknowledged: readonly Acknowledged[]
  /** What appends were refused with. */
  readonly errors: readonly string[]
  /** Whether earlier entries can be read while nothing more fits. */
  readonly isReadable: boolean
}

/**
 * In a page: opens the store, if it is not, and appends large entries to a session until so many in a row are refused,
 * or `most` are stored.
 */
export async function fillUp(
  { sdk, kept }: TabWorld,
  {
    name,
    session: key,
    refusals,
    most,
  }: { readonly name: string; readonly session: string; readonly refusals: number; readonly most: number },
): Promise<FilledUp> {
  // Of each notice that room is short: whether it was a write that found none.
  const spaceLow: boolean[] = (kept['spaceLow'] ??= [])
  const store = (kept['store'] ??= await sdk.openSessionStore({
    name,
    timeoutMs: 30_000,
    onChange: (change) =>
      void (
        change.type === 'notice' &&
        change.name === 'spaceLow' &&
        spaceLow.push(change.space?.neededBytes !== undefined)
      ),
  }))
  const session = await store.session(key)
  const acknowledged: Acknowledged[] = []
  const errors: string[] = []
  for (let n = 0, refused = 0; refused < refusals && acknowledged.length < most; n++) {
    const bytes = new Uint8Array(60_000)
    crypto.getRandomValues(bytes)
    const text = `${key}#${n} ${Array.from(bytes, (byte) => String.fromCharCode(33 + (byte % 90)))
      .join('')
      .repeat(1)}${crypto.randomUUID()}`
    await session.append({ role: 'user', content: text }).then(
      () => {
        refused = 0
        acknowledged.push({ session: key, text })
      },
      (error: Error) => {
        refused++
        errors.push(`${error.name}: ${error.message}`)
      },
    )
  }
  const isReadable = await session.page({ last: 1 }).then(
    ({ entries }: { readonly entries: readonly unknown[] }) => entries.length > 0,
    () => false,
  )
  return { acknowledged, errors, isReadable }
}
