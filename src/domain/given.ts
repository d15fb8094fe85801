type Maybe<T> = { readonly [Name in keyof T]: undefined extends T[Name] ? Name : never }[keyof T]

/** The same fields, but those that may be `undefined` may be absent instead. */
export type Given<T> = Omit<T, Maybe<T>> & { readonly [Name in Maybe<T>]?: Exclude<T[Name], undefined> }

/** The fields that are not `undefined`. A field with `undefined` would change when it is stored or sent to a page. */
export function given<T extends object>(fields: T): Given<T> {
  const found: Partial<T> = {}
  for (const name in fields) if (fields[name] !== undefined) found[name] = fields[name]
  return found as unknown as Given<T>
}
