/**
 * What an object is besides its own members, which is lost when only those are kept, as JSON and messages between realms do: `Map`, `Date`, the name of
 * a class; `undefined` for plain objects, also of another realm. Proxies are what they stand for, where they say so.
 */
export function kindLost(source: object): string | undefined {
  const prototype = Object.getPrototypeOf(source) as object | null
  if (prototype === Object.prototype) return undefined
  const kind = Object.prototype.toString.call(source).slice(8, -1)
  if (kind !== 'Object') return kind
  // The `Object.prototype` of another realm inherits nothing either.
  if (prototype === null || (Object.getPrototypeOf(prototype) === null && Object.hasOwn(prototype, 'isPrototypeOf'))) return undefined
  return (source as { readonly constructor?: { readonly name?: string } }).constructor?.name || 'unknown'
}
