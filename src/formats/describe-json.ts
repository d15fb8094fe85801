import { isObject } from './is-plain-object.ts'

/** Describes a JSON value in a few words. */
export function describeJson(found: unknown): string {
  if (Array.isArray(found)) return 'a list'
  if (!isObject(found)) return `${JSON.stringify(found)?.slice(0, 40)}`
  const { type } = found
  return typeof type === 'string'
    ? `an object of type ${JSON.stringify(type.slice(0, 40))}`
    : `an object with ${
        Object.keys(found)
          .slice(0, 5)
          .map((key) => key.slice(0, 40))
          .join(', ') || 'no members'
      }`
}
