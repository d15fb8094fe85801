import { copyPlainJson } from '../domain/copy-plain.ts'

/** What `structuredClone` gives; by hand, which takes a fraction of the time, where it is plain data. */
export function clonePlain<T>(value: T): T {
  return (copyPlainJson(value) as T | undefined) ?? structuredClone(value)
}
