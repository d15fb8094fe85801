/**
 * What an object is besides its own members, which is lost when only those are kept, as JSON and messages between realms do: `Map`, `Date`, the name of
 * a class; `undefined` for plain objects, also of another realm. Proxies are what they stand for, where they say so.
 */
export function kindLost(source: object): string | undefined {
  const prototype = Object.getPrototypeOf(source) as object | null
  // An `Object.prototype`, of whatever realm, inherits nothing.
  if (prototype === null || (Object.getPrototypeOf(prototype) === null && Object.hasOwn(prototype, 'isPrototypeOf'))) return undefined
  const kind = Object.prototype.toString.call(source).slice(8, -1)
  return kind === 'Object' ? source.constructor?.name || 'unknown' : kind
}
