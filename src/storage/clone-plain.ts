import { copyPlainJson } from '../domain/copy-plain.ts'

/** A copy of what a store keeps: by hand, which takes a fraction of the time of `structuredClone`, where it is the plain data that JSON has. */
export function clonePlain<T>(value: T): T {
  return (copyPlainJson(value) as T | undefined) ?? structuredClone(value)
}
