/**
 * Numbers by 53-bit hashes, in 16 bytes each plus the same amount of free space: for a million keys 32 MB, where a
 * `Map` of strings would take several times that. Two keys with equal hashes count as one (`hash53`).
 */
export interface HashTable {
  get(hash: number): number | undefined
  set(hash: number, value: number): void
}

const smallest = 1024

export function createHashTable(): HashTable {
  let keys = new Float64Array(smallest)
  let values = new Float64Array(smallest)
  let count = 0

  /** The place of a hash, or the free place for it. Keys are hashes plus one, because 0 means free. */
  const placeOf = (hash: number, among: Float64Array): number => {
    const last = among.length - 1
    let at = hash % among.length
    while (among[at] !== 0 && among[at] !== hash + 1) at = (at + 1) & last
    return at
  }

  const grow = (): void => {
    const [oldKeys, oldValues] = [keys, values]
    keys = new Float64Array(oldKeys.length * 2)
    values = new Float64Array(oldKeys.length * 2)
    for (let i = 0; i < oldKeys.length; i++) {
      if (oldKeys[i] === 0) continue
      const at = placeOf(oldKeys[i]! - 1, keys)
      keys[at] = oldKeys[i]!
      values[at] = oldValues[i]!
    }
  }

  return {
    get: (hash) => {
      const at = placeOf(hash, keys)
      return keys[at] === 0 ? undefined : values[at]
    },
    set: (hash, value) => {
      let at = placeOf(hash, keys)
      if (keys[at] === 0) {
        if ((count + 1) * 4 > keys.length * 3) {
          grow()
          at = placeOf(hash, keys)
        }
        keys[at] = hash + 1
        count++
      }
      values[at] = value
    },
  }
}
