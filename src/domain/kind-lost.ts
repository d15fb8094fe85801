/**
 * The kind of an object that is lost when only its own members are kept, as JSON and messages between realms do: `Map`,
 * `Date`, or the name of a class; `undefined` for plain objects, including those of another realm. Proxies count as
 * their target, as far as they reveal it.
 */
export function kindLost(source: object): string | undefined {
  const prototype = Object.getPrototypeOf(source) as object | null
  // An `Object.prototype`, of any realm, inherits nothing.
  if (prototype === null || (Object.getPrototypeOf(prototype) === null && Object.hasOwn(prototype, 'isPrototypeOf')))
    return undefined
  const kind = Object.prototype.toString.call(source).slice(8, -1)
  return kind === 'Object' ? source.constructor?.name || 'unknown' : kind
}
