type Maybe<T> = { readonly [Name in keyof T]: undefined extends T[Name] ? Name : never }[keyof T]

/** Fields of which those that may be `undefined` may be absent instead. */
export type Given<T> = Omit<T, Maybe<T>> & { readonly [Name in Maybe<T>]?: Exclude<T[Name], undefined> }

/** The fields that are there: one that is `undefined` would be another answer once it is stored or crosses to a page. */
export function given<T extends object>(fields: T): Given<T> {
  const found: Partial<T> = {}
  for (const name in fields) if (fields[name] !== undefined) found[name] = fields[name]
  return found as unknown as Given<T>
}
